import { afterAll, beforeAll, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { type CompiledQuery, sql } from 'kysely';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { until } from '../lib/until.fixture.ts';

let service: TestApp;
let server: ReturnType<typeof Bun.serve>;
let member: Member;

const rows = 40_000;
const sessions = 300;
const numbers = (most: number) =>
  sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(most)})`;

/** Statements so far, and the most of them that ran in one turn of the event loop. */
const read = { pages: 0, inTurn: 0, most: 0 };

beforeAll(async () => {
  service = await openTestApp();
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch: service.app.fetch });
  member = await service.user();
  const { db } = service.platform.database;
  await sql`insert into usage_logs (request_id, user_id, key_id, model_id, endpoint, provider, channel_id, prompt_tokens,
      completion_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, units, quota, shortfall, stream, status,
      duration_ms, first_token_ms, created_at)
    ${numbers(rows)} select 'r-' || i, ${member.id}, 0, 'm', ${'e'.repeat(400)}, 'p', 1, 1, 1, 0,
      0, 0, 0, 5, 0, 0, 'ok', 1, 1, i from n`.execute(db);
  await sql`insert into usage_days (user_id, day, model_id, key_id, requests, prompt_tokens, completion_tokens, quota)
    values (${member.id}, 0, 'm', 0, ${rows}, ${rows}, ${rows}, ${5 * rows})`.execute(db);
  await sql`insert into ms_sessions (user_id, session_id, tags, created_at, last_accessed)
    ${numbers(sessions)} select ${member.id}, 's-' || i, '[]', 0, 0 from n`.execute(db);
  // Larger, all together, than what the first pages hold.
  await sql`insert into ms_messages (session_ref, message, tokens, created_at)
    ${numbers(200)} select (select min(id) from ms_sessions), ${'"'} || ${'x'.repeat(20_000)} || ${'"'}, 1, 0 from n`.execute(
    db,
  );

  const executor = db.getExecutor();
  const { executeQuery } = executor;
  executor.executeQuery = ((query: CompiledQuery) => {
    if (/^select.*(usage_logs|ms_messages)/.test(query.sql)) read.pages += 1;
    read.inTurn += 1;
    read.most = Math.max(read.most, read.inTurn);
    return executeQuery.call(executor, query);
  }) as typeof executeQuery;
});
afterAll(async () => {
  await server.stop(true);
  await service.close();
});

const ask = (path: string): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = connect(server.port!, '127.0.0.1', () => {
      socket.pause();
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\ncookie: ${member.cookie}\r\n\r\n`);
      resolve(socket);
    });
    socket.on('error', () => {});
  });

/** No more pages are read, for as long as it takes to read many. */
async function untilStill(): Promise<void> {
  let before = -1;
  let looks = 0;
  await until('nothing more is read', async () => {
    looks = read.pages === before ? looks + 1 : 0;
    before = read.pages;
    await Bun.sleep(40);
    return looks === 25;
  });
}

test.each(['/api/user/self/export', '/api/usage/logs?format=csv'])(
  'a client that stops reading pauses %s',
  async (path) => {
    read.pages = 0;
    const socket = await ask(path);
    await until('the log is being read', () => read.pages > 0);
    await untilStill();
    const still = read.pages;
    let bytes = 0;
    socket.on('data', (data) => {
      bytes += data.length;
    });
    socket.resume();
    await until('the rest comes when it is read', () => read.pages > still);
    await until('all of it has come', () => bytes > rows * 400);
    // All of it would have been read before, had nobody waited.
    expect(still).toBeLessThan(read.pages - 20);
    socket.destroy();
  },
);

test('an export yields to other requests after every page, even an empty one', async () => {
  let turning = true;
  const turn = () => {
    read.inTurn = 0;
    if (turning) setImmediate(turn);
  };
  Object.assign(read, { inTurn: 0, most: 0 });
  turn();
  const answer = await fetch(`http://127.0.0.1:${server.port}/api/user/self/export`, {
    headers: { cookie: member.cookie },
  });
  const data = (await answer.json()) as { orchestra: Record<string, unknown[]>; billing: Record<string, unknown[]> };
  turning = false;
  expect(data.orchestra.sessions).toHaveLength(sessions);
  expect(data.orchestra.messages).toHaveLength(200);
  expect(data.billing.usage_logs).toHaveLength(rows);
  // A page is one statement, or two where entries are filed first; a turn may see the end of one and the beginning of another.
  expect(read.most).toBeLessThan(12);
});

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { type Member, openTestApp, type TestApp } from './app.fixture.ts';

let service: TestApp;
let root: Member;
let member: Member;
const many = 45;

beforeAll(async () => {
  service = await openTestApp();
  [root, member] = [await service.root(), await service.user()];
  await service.setOption('RateLimitEnabled', false);
  const { db } = service.platform.database;
  const numbers = sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(many)})`;
  // Some in the same second, over three days, and one in five free of charge.
  await sql`insert into usage_logs (request_id, user_id, key_id, model_id, endpoint, provider, channel_id, prompt_tokens,
      completion_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, units, quota, shortfall, stream, status,
      duration_ms, first_token_ms, created_at)
    ${numbers} select 'r-' || i, ${member.id}, 0, case when i % 3 = 0 then 'm' else 'o' end, 'chat', 'p', 1, 1, 1, 0, 0, 0, 0,
      case when i % 5 = 0 then 0 else 5 end, 0, 0, 'ok', 1, 1, 1700000000 + (i / 4) * 20000 from n`.execute(db);
  await sql`insert into usage_days (user_id, day, model_id, key_id, requests, prompt_tokens, completion_tokens, quota)
    select user_id, created_at / 86400, model_id, key_id, count(*), 1, 1, sum(quota) from usage_logs group by 1, 2, 3, 4`.execute(
    db,
  );
  await sql`insert into credits (user_id, amount, balance_after, note, actor_id, place, created_at)
    ${numbers} select ${member.id}, 1, 1, 'c-' || i, 1, i * 2, 1700000000 from n where i <= 20`.execute(db);
  await sql`insert into audit_log (action, actor_id, target_type, target_id, target_name, ip, user_agent, metadata, created_at)
    ${numbers} select case when i % 2 = 0 then 'token_issued' else 'token_revoked' end, ${member.id}, 'application', 7,
      'Needlework', '', '', '{}', 1700000000 + i / 4 from n`.execute(db);
});
afterAll(() => service.close());

interface Answer {
  data: Record<string, { id: number }[]> & { next_cursor: string | null; total: number };
}
const get = async (by: Member, path: string): Promise<Answer['data']> => {
  const answer = await by.call(path);
  expect(answer.status).toBe(200);
  return ((await answer.json()) as Answer).data;
};
const idsOf = (data: Answer['data']): number[] => (data.logs ?? data.entries)!.map((entry) => entry.id);

const lists: [string, () => Member][] = [
  ['/api/usage/logs?', () => member],
  ['/api/usage/logs?model=m&', () => member],
  ['/api/admin/usage/logs?', () => root],
  ['/api/admin/usage/logs?model=m&', () => root],
  ['/api/ledger?', () => member],
  ['/api/admin/ledger?', () => root],
  ['/api/admin/audit?action=token_issued&', () => root],
  ['/api/admin/audit?target=needle&', () => root],
  ['/api/oauth2/admin/audit?', () => root],
];

test.each(lists)('%s is the same by cursor and by page', async (path, by) => {
  const { total } = await get(by(), `${path}page_size=1`);
  expect(total).toBeGreaterThan(10);
  const byPage: number[] = [];
  for (let page = 1; byPage.length < total; page += 1)
    byPage.push(...idsOf(await get(by(), `${path}page_size=7&page=${page}`)));
  const byCursor: number[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const data: Answer['data'] = await get(by(), `${path}page_size=7${cursor && `&cursor=${cursor}`}`);
    byCursor.push(...idsOf(data));
    cursor = data.next_cursor;
  }
  expect(byCursor).toEqual(byPage);
  expect(new Set(byCursor).size).toBe(total);
});

test.each(lists)('%s rejects foreign cursors', async (path, by) => {
  for (const cursor of ['x', 'MQ', 'MS4yLjMuNA', Buffer.from('1.-2').toString('base64url'), '%00', 'a'.repeat(300)]) {
    const answer = await by().call(`${path}cursor=${cursor}`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ success: false });
  }
});

/** Somebody writes and deletes between two pages: says which rows went. */
const disturb: Record<string, (round: number, ids: number[]) => Promise<number>> = {
  usage_logs: async (round, ids) => {
    const { db } = service.platform.database;
    await sql`insert into usage_logs (request_id, user_id, key_id, model_id, endpoint, provider, channel_id, prompt_tokens,
        completion_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, units, quota, shortfall, stream, status,
        duration_ms, first_token_ms, created_at)
      select request_id || ${`-${crypto.randomUUID()}`}, user_id, key_id, 'm', endpoint, provider, channel_id, prompt_tokens,
        completion_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, units, quota, shortfall, stream, status,
        duration_ms, first_token_ms, created_at + ${sql.lit(round % 2)} from usage_logs order by id desc limit 3`.execute(
      db,
    );
    return goneOf('usage_logs', ids);
  },
  audit_log: async (_, ids) => {
    const { db } = service.platform.database;
    await sql`insert into audit_log (action, actor_id, target_type, target_id, target_name, ip, user_agent, metadata, created_at)
      select 'token_issued', actor_id, target_type, target_id, target_name, ip, user_agent, metadata, created_at
      from audit_log order by id desc limit 3`.execute(db);
    return goneOf('audit_log', ids);
  },
};

async function goneOf(table: 'usage_logs' | 'audit_log', ids: number[]): Promise<number> {
  const id = ids[Math.floor(Math.random() * ids.length)]!;
  await service.platform.database.db.deleteFrom(table).where('id', '=', id).execute();
  return id;
}

test.each(lists.filter(([path]) => !path.includes('ledger')))(
  '%s shows each row once, and all that stay, during inserts and deletes',
  async (path, by) => {
    const change = disturb[path.includes('audit') ? 'audit_log' : 'usage_logs']!;
    const staying = new Set(idsOf(await get(by(), `${path}page_size=100`)));
    const seen: number[] = [];
    let round = 0;
    for (let cursor: string | null = ''; cursor !== null; round += 1) {
      const data: Answer['data'] = await get(by(), `${path}page_size=4${cursor && `&cursor=${cursor}`}`);
      seen.push(...idsOf(data));
      cursor = data.next_cursor;
      // Also the very row that the page ended with.
      staying.delete(await change(round, round % 3 === 0 ? seen.slice(-1) : [...staying]));
    }
    expect(round).toBeGreaterThan(3);
    expect(seen.length).toBe(new Set(seen).size);
    expect([...staying].filter((id) => !seen.includes(id))).toEqual([]);
  },
);

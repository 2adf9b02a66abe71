import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { engines, type TestDb } from './engines.fixture.ts';
import { toolCalls } from './tool-calls.ts';

const day = 20_000;
const days = { firstDay: day - 1, lastDay: day };

describe.each(engines)('tool calls on $name', (engine) => {
  let open: TestDb;
  const users: number[] = [];

  /** Writes requests of a user to a model, or tool calls, on one day. */
  async function used(user: number, model: string, at: number, statuses: string[], ms = 10): Promise<void> {
    for (const [index, status] of statuses.entries())
      await sql`insert into usage_logs (request_id, user_id, key_id, model_id, endpoint, provider, channel_id, prompt_tokens,
          completion_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, units, quota, shortfall, stream, status,
          duration_ms, first_token_ms, created_at)
        values (${`${user} ${model} ${at} ${index}`}, ${user}, 0, ${model}, '/mcp', 'files', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
          ${status}, ${ms * (index + 1)}, 0, ${at * 86_400 + index})`.execute(open.db);
    await sql`insert into usage_days (user_id, day, model_id, key_id, requests, prompt_tokens, completion_tokens, quota)
      values (${user}, ${at}, ${model}, 0, ${statuses.length}, 0, 0, 0)`.execute(open.db);
  }

  beforeAll(async () => {
    open = await engine.open();
    for (const name of ['ann', 'bob']) {
      const { rows } = await sql<{ id: number }>`insert into users (username, username_key, password_hash, display_name,
          avatar_url, email, role, status, "group", quota, created_at)
        values (${name}, ${name}, '', '', '', '', 1, 1, 'default', 0, 0) returning id`.execute(open.db);
      users.push(Number(rows[0]!.id));
    }
    const [ann, bob] = users as [number, number];
    await used(ann, 'mcp/files/read/all', day, ['ok', 'error', 'ok']);
    await used(ann, 'mcp/files/read/all', day - 1, ['ok']);
    await used(bob, 'mcp/files/read/all', day, ['aborted', 'error']);
    await used(bob, 'mcp/svc/ask_model', day, ['ok']);
    await used(4_711, 'mcp/files/write', day, ['ok', 'ok', 'ok', 'ok', 'ok']);
    await used(ann, 'mcp/files/write', day - 2, ['ok']);
    await used(ann, 'MCP/files/write', day, ['ok']);
    await used(ann, 'openai/gpt', day, ['ok']);
    if (engine.name === 'sqlite')
      await sql`update usage_filed set up_to = (select max(id) from usage_logs)`.execute(open.db);
  });
  afterAll(() => open.drop());

  test('are grouped by server, tool and user, with errors and time, within the given days only', async () => {
    const [ann, bob] = users as [number, number];
    const { calls, cut } = await toolCalls(open.db, days);
    expect(cut).toBe(false);
    expect(calls).toEqual([
      {
        ...{ server: 'files', tool: 'write', userId: 4_711, username: null, account_name: null, calls: 5 },
        ...{ sample: 5, errors: 0, averageMs: 30, lastAt: day * 86_400 + 4 },
      },
      {
        ...{ server: 'files', tool: 'read/all', userId: ann, username: 'ann', account_name: 'ann', calls: 4 },
        ...{ sample: 4, errors: 1, averageMs: 18, lastAt: day * 86_400 + 2 },
      },
      {
        ...{ server: 'files', tool: 'read/all', userId: bob, username: 'bob', account_name: 'bob', calls: 2 },
        ...{ sample: 2, errors: 1, averageMs: 15, lastAt: day * 86_400 + 1 },
      },
      {
        ...{ server: 'svc', tool: 'ask_model', userId: bob, username: 'bob', account_name: 'bob', calls: 1 },
        ...{ sample: 1, errors: 0, averageMs: 10, lastAt: day * 86_400 },
      },
    ]);
    expect(await toolCalls(open.db, { firstDay: day + 1, lastDay: day + 9 })).toEqual({ calls: [], cut: false });
  });

  test('that the log no longer has are counted, without further details', async () => {
    const [ann] = users as [number, number];
    await sql`delete from usage_logs where user_id = ${ann}`.execute(open.db);
    const { calls } = await toolCalls(open.db, days);
    expect(calls.find(({ userId }) => userId === ann)).toMatchObject({ calls: 4, sample: 0, averageMs: null });
  });
});

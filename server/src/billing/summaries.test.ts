import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { lookedAt } from '../platform/db/plans.fixture.ts';
import { engines, type TestDb } from './engines.fixture.ts';
import { type GroupBy, sumUsage, type UsageFilter } from './store/usage-sums.ts';

/** 20,000 users who each made a request on one of 30 days to one of ten models. */
const users = 20_000;
const firstDay = 20_000;
const lastDay = firstDay + 29;

const summaries: Record<string, [UsageFilter, GroupBy]> = {
  'per day': [{}, 'day'],
  'per model': [{}, 'model'],
  'of one model': [{ modelId: 'model-3' }, 'day'],
  'per day of a user': [{ userId: 7 }, 'day'],
  'per key of a user': [{ userId: 7 }, 'token'],
  'per model of a key': [{ keyId: 7 }, 'model'],
};

describe.each(engines)('summaries on $name', (engine) => {
  let open: TestDb;
  beforeAll(async () => {
    open = await engine.open();
    const numbers = sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(users)})`;
    await sql`insert into usage_logs (request_id, user_id, key_id, model_id, endpoint, provider, channel_id, prompt_tokens,
        completion_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, units, quota, shortfall, stream, status,
        duration_ms, first_token_ms, created_at)
      ${numbers} select 'r-' || i, i, i, 'model-' || (i % 10), 'chat', 'p', 1, 1, 2, 0, 0, 0, 0, 5, 0, 0, 'ok', 1, 1,
        (${sql.lit(firstDay)} + i % 30) * 86400 from n`.execute(open.db);
    await sql`insert into usage_days (user_id, day, model_id, key_id, requests, prompt_tokens, completion_tokens, quota)
      select user_id, created_at / 86400, model_id, key_id, 1, 1, 2, 5 from usage_logs`.execute(open.db);
    if (engine.name === 'sqlite')
      await sql`update usage_filed set up_to = (select max(id) from usage_logs)`.execute(open.db);
    await sql`analyze`.execute(open.db);
  });
  afterAll(() => open.drop());

  test.each(Object.keys(summaries))('%s: does not read a row per user', async (name) => {
    const [filter, groupBy] = summaries[name]!;
    const looked = await lookedAt(open.db, () => sumUsage(open.db, filter, groupBy, firstDay, lastDay));
    for (const { text, rows, steps } of looked) {
      // SQLite cannot count rows read, so check the plan: it must not scan the sums of every user.
      const overAll = filter.userId === undefined && filter.keyId === undefined;
      const ofEach =
        /usage_days_all/.test(text) && (overAll || steps.some((step) => /^SCAN usage_days(_open)?\b/.test(step)));
      expect({ text, rows: rows > 1_000 ? rows : 'few', ofEach }).toEqual({ text, rows: 'few', ofEach: false });
    }
  });

  test('summaries of all users match the log', async () => {
    const days = await sumUsage(open.db, {}, 'day', firstDay, lastDay);
    expect(days).toHaveLength(30);
    expect(days.reduce((sum, { requests }) => sum + requests, 0)).toBe(users);
    const [model] = await sumUsage(open.db, { modelId: 'model-3' }, 'model', firstDay, lastDay);
    expect(model).toEqual({
      group: 'model-3',
      requests: 2_000,
      prompt_tokens: 2_000,
      completion_tokens: 4_000,
      quota: 10_000,
    });
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { migrate } from '../platform/db/migrate.ts';
import { migrations } from '../platform/db/migrations/index.ts';
import type { Db } from '../platform/db/tables.ts';
import { addUser, booksOf, engines, openTestBilling, type TestDb } from './engines.fixture.ts';
import { pageLedger } from './store/ledger.ts';
import { createMonthPartitions } from './store/month-partitions.ts';
import { countUsage, listUsage, sweepUsage } from './store/usage.ts';

const at = (date: string): number => Date.parse(`${date}T00:00:00Z`) / 1000;

/** Writes entries as the stores do, with their sums. */
async function use(db: Db, user: number, times: number[]): Promise<void> {
  for (const time of times) {
    await sql`insert into usage_logs (request_id, user_id, key_id, model_id, endpoint, provider, channel_id, prompt_tokens,
        completion_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, units, quota, shortfall, stream, status,
        duration_ms, first_token_ms, created_at)
      values (${`r-${time}`}, ${user}, 0, 'm', '', '', 0, 1, 1, 0, 0, 0, 0, 5, 0, 0, 'ok', 1, 1, ${time})`.execute(db);
    await sql`insert into usage_days (user_id, day, model_id, key_id, requests, prompt_tokens, completion_tokens, quota)
      values (${user}, ${Math.floor(time / 86_400)}, 'm', 0, 1, 1, 1, 5)`.execute(db);
  }
}

const timesOf = async (db: Db, user: number): Promise<number[]> =>
  (await listUsage(db, { userId: user }, { limit: 100 })).map((row) => row.created_at);

const partOf = async (db: Db, time: number): Promise<string> => {
  const { rows } = await sql<{ part: string }>`select tableoid::regclass::text as part from usage_logs
    where created_at = ${time}`.execute(db);
  return rows[0]!.part;
};

const tables = async (db: Db): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class where relkind = 'r'
    and relname like 'usage\\_logs\\_20%' order by 1`.execute(db);
  return rows.map((row) => row.name);
};

describe.each(engines.filter((engine) => engine.name === 'postgres'))('the usage log by month on $name', (engine) => {
  let open: TestDb;
  beforeAll(async () => {
    open = await engine.open();
  });
  afterAll(() => open.drop());

  test('past months are dropped as a whole, a partial month row by row, and totals stay', async () => {
    const { db } = open;
    await createMonthPartitions(db, at('2021-01-10'));
    const user = await addUser(db, 0);
    const times = ['2021-01-05', '2021-01-31', '2021-02-01', '2021-02-28', '2021-03-01', '2021-03-20'].map(at);
    await use(db, user, times);
    expect(await partOf(db, at('2021-02-28'))).toBe('usage_logs_2021_02');
    const { days } = await booksOf(db, user);

    expect(await sweepUsage(db, at('2021-03-10'))).toBe(1);
    const left = await tables(db);
    expect(left).not.toContain('usage_logs_2021_01');
    expect(left).not.toContain('usage_logs_2021_02');
    expect(left).toContain('usage_logs_2021_03');
    expect(await timesOf(db, user)).toEqual([at('2021-03-20')]);
    expect((await booksOf(db, user)).days).toBe(days);
    expect(await countUsage(db, { userId: user })).toBe(1);
    // Entries of a dropped month are accepted again, through the default partition.
    await use(db, user, [at('2021-01-06')]);
    expect(await partOf(db, at('2021-01-06'))).toBe('usage_logs_rest');
    expect(await sweepUsage(db, at('2021-03-10'))).toBe(1);
  });

  test('months are created ahead, once, by any process, and take their rows from the default partition', async () => {
    const { db } = open;
    const user = await addUser(db, 0);
    await use(db, user, [at('2031-05-05')]);
    expect(await partOf(db, at('2031-05-05'))).toBe('usage_logs_rest');
    await Promise.all([1, 2, 3].map(() => createMonthPartitions(db, at('2031-04-30'))));
    await createMonthPartitions(db, at('2031-04-30'));
    expect(await tables(db)).toEqual(expect.arrayContaining(['usage_logs_2031_04', 'usage_logs_2031_07']));
    expect(await partOf(db, at('2031-05-05'))).toBe('usage_logs_2031_05');
    expect(await timesOf(db, user)).toEqual([at('2031-05-05')]);
    await use(db, user, [at('2031-06-30')]);
    expect(await partOf(db, at('2031-06-30'))).toBe('usage_logs_2031_06');
  });

  test('charges go to the table of their month, with increasing ids', async () => {
    const user = await addUser(open.db, 100);
    const billing = await openTestBilling(open);
    const ids: number[] = [];
    for (const requestId of ['a', 'b', 'c']) {
      const hold = await billing.hold({
        requestId,
        userId: user,
        keyId: null,
        keyUnlimited: true,
        amount: 10,
        modelId: 'm',
      });
      await billing.settle(hold, { cost: 3, usage: { promptTokens: 1, completionTokens: 1 }, endpoint: 'chat' });
      ids.unshift((await listUsage(open.db, { userId: user }, { limit: 1 }))[0]!.id);
    }
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    await billing.grant({ userId: user, quota: 7, note: 'later', by: 1 });
    const { entries } = await pageLedger(open.db, user, { limit: 10, offset: 0 });
    expect(entries.map((entry) => entry.amount)).toEqual([7, -3, -3, -3]);
    const rest = await sql`select 1 from usage_logs_rest where user_id = ${user}`.execute(open.db);
    expect(rest.rows).toHaveLength(0);
    await billing.stop();
  });
});

describe.each(engines)('a log from before monthly tables on $name', (engine) => {
  test('keeps its rows and continues', async () => {
    const before = migrations.filter((migration) => migration.name < '0012');
    const open = await engine.open(before);
    try {
      const user = await addUser(open.db, 0);
      const old = ['2021-01-05', '2021-02-01', '2021-02-02'].map(at);
      await use(open.db, user, old);
      await migrate(open.db);
      expect(await timesOf(open.db, user)).toEqual(old.toReversed());
      const [newest] = await listUsage(open.db, { userId: user }, { limit: 1 });
      const now = Math.floor(Date.now() / 1000);
      await use(open.db, user, [now]);
      const [next] = await listUsage(open.db, { userId: user }, { limit: 1 });
      expect([next!.created_at, next!.id > newest!.id]).toEqual([now, true]);
      expect(await sweepUsage(open.db, at('2021-02-02'))).toBe(2);
      expect(await timesOf(open.db, user)).toEqual([now, at('2021-02-02')]);
      // Entries from before partitioning end with the previous month, or with the month of the last entry.
      await sweepUsage(open.db, now);
      expect(await timesOf(open.db, user)).toEqual([now]);
    } finally {
      await open.drop();
    }
  });
});

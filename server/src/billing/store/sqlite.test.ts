import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { addKey, addUser, booksOf, engines, keyOf, type TestDb } from '../engines.fixture.ts';
import { holdRow, usageRow } from '../rows.ts';
import type { HoldRow, HoldStore, SettleRow } from './port.ts';
import { sqliteHoldStore } from './sqlite.ts';

const now = 1_700_000_000;

describe('holds as sums on SQLite', () => {
  let open: TestDb;
  let store: HoldStore;
  let user: number;
  let key: number;
  beforeAll(async () => {
    open = await engines.find(({ name }) => name === 'sqlite')!.open();
  });
  afterAll(() => open.drop());
  beforeEach(async () => {
    store = sqliteHoldStore(open.db);
    user = await addUser(open.db, 1000);
    key = await addKey(open.db, user, 500, false);
  });

  const row = (requestId: string, amount: number, limited = false): HoldRow =>
    holdRow(
      { requestId, userId: user, keyId: limited ? key : null, keyUnlimited: !limited, amount, modelId: 'm' },
      'me',
      now,
    );
  const charge = (hold: HoldRow, cost: number): SettleRow => {
    const who = { requestId: hold.request_id, userId: user, keyId: hold.key_id, modelId: 'm' };
    return {
      ...hold,
      log: usageRow(who, { usage: { promptTokens: 1, completionTokens: 1 }, endpoint: '/v1' }, cost, now),
    };
  };
  const reserved = async () => {
    const found = await sql<object>`select holds, amount, key_amount from billing_reserves
      where user_id = ${user} and holds > 0 order by key_id`.execute(open.db);
    return found.rows;
  };
  const rowsOfTheirOwn = async () => {
    const found = await sql<{ request_id: string; progress: number }>`select request_id, progress from billing_holds
      where user_id = ${user}`.execute(open.db);
    return found.rows;
  };

  test('what is open is one sum a user and key, and gone when all is settled', async () => {
    const [a, b, c] = [row('a', 100), row('b', 50), row('c', 70, true)];
    expect(await store.hold([a, b, c, row('d', 2000)])).toEqual(['held', 'held', 'held', 'user_short']);
    expect(await reserved()).toEqual([
      { holds: 2, amount: 150, key_amount: 0 },
      { holds: 1, amount: 70, key_amount: 70 },
    ]);
    expect(await rowsOfTheirOwn()).toEqual([]);
    await store.settle([charge(a, 30), charge(c, 10), { ...b, log: null }]);
    expect(await reserved()).toEqual([]);
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 960, used: 40, held: 0, logs: 40, days: 40 });
    expect((await keyOf(open.db, key)).remain).toBe(490);
  });

  test('a transaction that fails leaves every hold as it was', async () => {
    const [a, b] = [row('a', 100), row('b', 50)];
    await store.hold([a, b]);
    await store.progress([{ request_id: 'b', progress: 5, usage: '{}' }]);
    await sql`alter table usage_logs rename to away`.execute(open.db);
    expect(() => store.settle([charge(a, 30), charge(b, 20)])).toThrow('usage_logs');
    await sql`alter table away rename to usage_logs`.execute(open.db);
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 850, held: 150, used: 0 });
    expect(await store.hold([a, b])).toEqual(['held', 'held']);
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 850, held: 150 });
    await sql`alter table billing_reserves rename to away`.execute(open.db);
    expect(() => store.hold([row('c', 10)])).toThrow('billing_reserves');
    expect(() => store.progress([{ request_id: 'a', progress: 5, usage: '{}' }])).toThrow('billing_reserves');
    await sql`alter table away rename to billing_reserves`.execute(open.db);
    expect(await store.hold([row('c', 10)])).toEqual(['held']);
    const settled = await store.settle([charge(a, 30), charge(b, 20), charge(row('c', 10), 1)]);
    expect(settled.map((one) => one.settled)).toEqual([true, true, true]);
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 949, held: 0, used: 51 });
  });

  test('progress gives a hold its row, and asking again still takes nothing more', async () => {
    const a = row('a', 100, true);
    await store.hold([a]);
    await store.progress([{ request_id: 'a', progress: 5, usage: '{}' }]);
    await store.progress([{ request_id: 'a', progress: 9, usage: '{}' }]);
    expect(await rowsOfTheirOwn()).toEqual([{ request_id: 'a', progress: 9 }]);
    expect(await reserved()).toEqual([]);
    await store.hold([a]);
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 900, held: 100 });
    expect(await store.settle([charge(a, 12), charge(a, 12)])).toMatchObject([{ charged: 12 }, { settled: false }]);
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 988, held: 0, used: 12 });
    expect((await keyOf(open.db, key)).remain).toBe(488);
  });

  test('taken for dead, a process finds its holds given back once and charges nothing', async () => {
    const [a, b, c] = [row('a', 100), row('b', 50, true), row('c', 30)];
    await store.hold([a, b, c]);
    await store.progress([{ request_id: 'c', progress: 3, usage: '{}' }]);
    const next = sqliteHoldStore(open.db);
    expect(await next.returnReserves()).toBe(2);
    expect(await next.returnReserves()).toBe(0);
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 970, held: 30 });
    expect((await keyOf(open.db, key)).remain).toBe(500);
    const settled = await store.settle([charge(a, 10), charge(b, 10), charge(c, 10)]);
    expect(settled.map((one) => one.settled)).toEqual([false, false, true]);
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 990, held: 0, used: 10 });
  });
});

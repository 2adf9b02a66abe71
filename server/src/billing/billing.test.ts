import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { manualClock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { requestId } from '../lib/ids.ts';
import { until } from '../lib/until.fixture.ts';
import { addKey, addUser, booksOf, engines, keyOf, openTestBilling, type TestDb } from './engines.fixture.ts';
import { pageLedger } from './store/ledger.ts';
import { sweepUsage } from './store/usage.ts';
import type { Hold, HoldRequest, Settlement } from './types.ts';

const ask = (userId: number, amount: number, more: Partial<HoldRequest> = {}): HoldRequest => ({
  requestId: requestId(),
  userId,
  keyId: null,
  keyUnlimited: true,
  amount,
  modelId: 'acme/large',
  ...more,
});
const used = (cost: number, more: Partial<Settlement> = {}): Settlement => ({
  cost,
  usage: { promptTokens: 10, completionTokens: 5 },
  endpoint: '/v1/chat/completions',
  ...more,
});
const codeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'ok',
    (error) => (error instanceof AppError ? error.code : String(error)),
  );

describe.each(engines)('billing on $name', (engine) => {
  let open: TestDb;
  let billing: Awaited<ReturnType<typeof openTestBilling>>;
  const clock = manualClock();
  beforeAll(async () => {
    open = await engine.open();
    billing = await openTestBilling(open, clock);
  });
  afterAll(async () => {
    await billing.stop();
    await open.drop();
  });

  test('a hold reserves, and settling charges the actual cost and returns the rest', async () => {
    const user = await addUser(open.db, 1000);
    const key = await addKey(open.db, user, 500, false);
    const hold = await billing.hold(ask(user, 300, { keyId: key, keyUnlimited: false }));
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 700, held: 300, used: 0 });
    expect(await keyOf(open.db, key)).toEqual({ remain: 200, used: 0 });
    expect(await billing.settle(hold, used(120))).toEqual({ settled: true, charged: 120, shortfall: 0 });
    const books = await booksOf(open.db, user);
    expect(books).toEqual({ quota: 880, used: 120, requests: 1, held: 0, ledger: -120, logs: 120, days: 120 });
    expect(await keyOf(open.db, key)).toEqual({ remain: 380, used: 120 });
    const { entries } = await pageLedger(open.db, user, { limit: 10, offset: 0 });
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({ kind: 'usage', amount: -120, balance_after: 880, request_id: hold.requestId });
  });

  test('settling or releasing again changes nothing', async () => {
    const user = await addUser(open.db, 1000);
    const hold = await billing.hold(ask(user, 300));
    const results = await Promise.all([
      billing.settle(hold, used(50)),
      billing.settle(hold, used(50)),
      billing.release(hold),
    ]);
    expect(results.map((one) => one.settled)).toEqual([true, false, false]);
    expect((await billing.settle(hold, used(70))).settled).toBe(false);
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 950, used: 50, requests: 1, held: 0, ledger: -50 });
  });

  test('the ledger of one batch shows each balance change', async () => {
    const user = await addUser(open.db, 1000);
    const holds = await Promise.all([1, 2, 3, 4].map(() => billing.hold(ask(user, 100))));
    const [a, b, c, d] = holds as [Hold, Hold, Hold, Hold];
    await Promise.all([
      billing.settle(a, used(10)),
      billing.release(b),
      billing.settle(c, used(30)),
      billing.settle(d, used(40)),
    ]);
    const { entries } = await pageLedger(open.db, user, { limit: 10, offset: 0 });
    expect(entries.map((entry) => [entry.amount, entry.balance_after])).toEqual([
      [-40, 920],
      [-30, 960],
      [-10, 990],
    ]);
  });

  test('the ledger shows the whole balance after a charge that lasted longer than its process may', async () => {
    const user = await addUser(open.db, 1000);
    const film = await billing.hold(ask(user, 300, { durableUntilMs: clock.nowMs() + 60_000 }));
    await billing.settle(await billing.hold(ask(user, 100)), used(10));
    await billing.hold(ask(user, 40));
    await billing.settle(film, used(200));
    const { entries } = await pageLedger(open.db, user, { limit: 10, offset: 0 });
    expect(entries.map((entry) => [entry.amount, entry.balance_after])).toEqual([
      [-200, 790],
      [-10, 990],
    ]);
  });

  test('a running stream is one open hold, also once its progress is written', async () => {
    const user = await addUser(open.db, 1000);
    const before = await billing.openHolds();
    const stream = await billing.hold(ask(user, 100));
    const film = await billing.hold(ask(user, 300, { durableUntilMs: clock.nowMs() + 60_000 }));
    const usage = { promptTokens: 1, completionTokens: 1 };
    billing.progress(stream, 5, usage, '/v1');
    const written = sql`select 1 from billing_holds where request_id = ${stream.requestId}`;
    await until('its progress is written', async () => (await written.execute(open.db)).rows.length === 1);
    const now = await billing.openHolds();
    expect([now.holds - before.holds, now.amount - before.amount]).toEqual([2, 400]);
    await Promise.all([billing.release(stream), billing.release(film)]);
    expect(await billing.openHolds()).toEqual(before);
  });

  test('one hold per request id, even with concurrent requests', async () => {
    const user = await addUser(open.db, 1000);
    const same = ask(user, 400);
    await Promise.all([billing.hold(same), billing.hold(same), billing.hold(same)]);
    await billing.hold(same);
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 600, held: 400 });
    const found = await billing.findHold(same.requestId);
    expect(found).toMatchObject({ amount: 400, userId: user, stored: true });
    await billing.release(found!);
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 1000, held: 0, requests: 0 });
  });

  test('of 80 parallel holds on a small balance as many succeed as fit, in order, never below zero', async () => {
    const user = await addUser(open.db, 1005);
    const rich = await addUser(open.db, 1_000_000);
    const asked = Array.from({ length: 80 }, (_, i) => codeOf(billing.hold(ask(i % 8 === 7 ? rich : user, 100))));
    const codes = await Promise.all(asked);
    const poor = codes.filter((_, i) => i % 8 !== 7);
    expect(poor.slice(0, 10)).toEqual(Array(10).fill('ok'));
    expect(poor.slice(10).every((code) => code === 'insufficient_user_quota')).toBe(true);
    expect(codes.filter((_, i) => i % 8 === 7)).toEqual(Array(10).fill('ok'));
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 5, held: 1000 });
    expect(await codeOf(billing.hold(ask(user, 5)))).toBe('ok');
  });

  test('a key with too little quota is refused, and the user keeps the money', async () => {
    const user = await addUser(open.db, 1000);
    const key = await addKey(open.db, user, 150, false);
    const limited = { keyId: key, keyUnlimited: false };
    const codes = await Promise.all([1, 2, 3].map(() => codeOf(billing.hold(ask(user, 100, limited)))));
    expect(codes).toEqual(['ok', 'insufficient_key_quota', 'insufficient_key_quota']);
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 900, held: 100 });
    expect(await keyOf(open.db, key)).toEqual({ remain: 50, used: 0 });
    expect(await codeOf(billing.hold(ask(9_999_999, 1)))).toBe('insufficient_user_quota');
  });

  test('a cost above the hold uses the remaining balance, and the rest is recorded as shortfall', async () => {
    const user = await addUser(open.db, 200);
    const key = await addKey(open.db, user, 120, false);
    const [a, b] = await Promise.all([
      billing.hold(ask(user, 100, { keyId: key, keyUnlimited: false })),
      billing.hold(ask(user, 50)),
    ]);
    const results = await Promise.all([billing.settle(a!, used(130)), billing.settle(b!, used(90))]);
    const books = await booksOf(open.db, user);
    expect(results.map((one) => one.charged + one.shortfall)).toEqual([130, 90]);
    expect(books).toMatchObject({ quota: 0, used: 200, held: 0, ledger: -200 });
    expect(await keyOf(open.db, key)).toEqual({ remain: 0, used: 130 });
    const shortfalls = await sql<{
      n: number;
    }>`select sum(shortfall) as n from usage_logs where user_id = ${user}`.execute(open.db);
    expect(Number(shortfalls.rows[0]!.n)).toBe(20);
  });

  test('price 0 needs no balance and no hold, only a usage log, flushed over time and on stop', async () => {
    const user = await addUser(open.db, 0);
    const hold = await billing.hold(ask(user, 0));
    expect(hold.stored).toBe(false);
    expect(await billing.findHold(hold.requestId)).toBeNull();
    await billing.settle(hold, used(0));
    const other = await openTestBilling(open, clock);
    // A process that opens a SQLite file considers all earlier ones dead.
    await billing.owners.look();
    other.record(ask(user, 0), used(0));
    await other.stop();
    while ((await booksOf(open.db, user)).requests < 2) await Bun.sleep(20);
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 0, used: 0, requests: 2, ledger: 0 });
    const paid = await addUser(open.db, 10);
    const surprising = await billing.hold(ask(paid, 0));
    expect(await billing.settle(surprising, used(4))).toEqual({ settled: true, charged: 4, shortfall: 0 });
    expect(await booksOf(open.db, paid)).toMatchObject({ quota: 6, used: 4, held: 0 });
  });

  test('invalid numbers from an upstream do not break a batch', async () => {
    const user = await addUser(open.db, 1000);
    const [a, b] = await Promise.all([billing.hold(ask(user, 10, { modelId: 'a\0b' })), billing.hold(ask(user, 10))]);
    const strange = {
      promptTokens: Number.NaN,
      completionTokens: -3,
      units: Number.POSITIVE_INFINITY,
      reasoningTokens: 0.5,
    };
    const results = await Promise.all([billing.settle(a!, used(3, { usage: strange })), billing.settle(b!, used(4))]);
    expect(results.every((one) => one.settled)).toBe(true);
    expect(await codeOf(billing.hold(ask(user, Number.POSITIVE_INFINITY)))).toBe('insufficient_user_quota');
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 993, used: 7 });
  });

  test('grants add credit, take back at most the balance, and refuse the rest', async () => {
    const user = await addUser(open.db, 0);
    const entry = await billing.grant({ userId: user, quota: 500, note: 'welcome', by: 1 });
    expect(entry).toMatchObject({ kind: 'grant', amount: 500, balance_after: 500, note: 'welcome', actor_id: 1 });
    expect(await codeOf(billing.grant({ userId: user, quota: -501, note: '', by: 1 }))).toBe('invalid_value');
    expect(await codeOf(billing.grant({ userId: 9_999_999, quota: 1, note: '', by: 1 }))).toBe('not_found');
    await billing.grant({ userId: user, quota: -200, note: '', by: 1 });
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 300, ledger: 300 });
  });

  test('old entries are deleted in batches; their totals and newer entries stay', async () => {
    const user = await addUser(open.db, 100_000);
    for (let i = 0; i < 2; i += 1) {
      const holds = await Promise.all(Array.from({ length: 230 }, () => billing.hold(ask(user, 10))));
      await Promise.all(holds.map((hold) => billing.settle(hold, used(3))));
    }
    const before = await booksOf(open.db, user);
    const { id } = await sql<{ id: number }>`select id from usage_logs where user_id = ${user} order by id desc
      limit 1 offset 9`
      .execute(open.db)
      .then(({ rows }) => rows[0]!);
    await sql`update usage_logs set created_at = 1000 where id < ${id}`.execute(open.db);
    expect(await sweepUsage(open.db, 2000)).toBeGreaterThanOrEqual(450);
    expect(await sweepUsage(open.db, 2000)).toBe(0);
    const after = await booksOf(open.db, user);
    expect([after.logs, after.days, after.quota, after.used]).toEqual([30, before.days, before.quota, before.used]);
    expect((await pageLedger(open.db, user, { limit: 100, offset: 0 })).entries).toHaveLength(10);
  });

  test('work in its own transaction does not block holds, and they stay separate', async () => {
    const user = await addUser(open.db, 100);
    const failing = open.db.transaction().execute(async (tx) => {
      await sql`update users set display_name = 'x' where id <> ${user}`.execute(tx);
      await Bun.sleep(20);
      throw new Error('rolled back');
    });
    const hold = billing.hold(ask(user, 60));
    await expect(failing).rejects.toThrow('rolled back');
    await hold;
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 40, held: 60 });
  });
});

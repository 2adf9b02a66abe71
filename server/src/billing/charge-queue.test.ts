import { afterEach, describe, expect, spyOn, test } from 'bun:test';
import { manualClock, systemClock } from '../lib/clock.ts';
import { requestId } from '../lib/ids.ts';
import { until } from '../lib/until.fixture.ts';
import { prepared } from '../platform/db/prepared.ts';
import { sqliteOf } from '../platform/db/sqlite-dialect.ts';
import type { Billing } from './billing.ts';
import { addKey, addUser, booksOf, engines, keyOf, openTestBilling, type TestDb } from './engines.fixture.ts';
import { findKept } from './store/kept-answers.ts';
import type { AllotmentStore, Turn } from './store/port.ts';
import type { Hold } from './types.ts';

const usage = { promptTokens: 1, completionTokens: 1 };
const used = (cost: number) => ({ cost, usage, endpoint: '/v1' });
const ask = (userId: number, amount: number) => ({
  ...{ requestId: requestId(), userId, keyId: null, keyUnlimited: true, amount, modelId: 'm' },
});
const broken = () => Object.assign(new Error('connection lost'), { code: 'ERR_POSTGRES_CONNECTION_CLOSED' });

type Call = keyof AllotmentStore;
type Fault = 'before' | 'after' | Error;

/** A store whose connection can be made to fail, before or after a statement was executed. */
function breakable() {
  const faults: Partial<Record<Call, Fault[]>> = {};
  const turns: Turn[] = [];
  let inner!: AllotmentStore;
  const through = (store: AllotmentStore): AllotmentStore => {
    inner = store;
    const call =
      (name: Call) =>
      async (turn: Turn, rows: never): Promise<never> => {
        const fault = faults[name]?.shift();
        turns.push(turn);
        if (fault instanceof Error) throw fault;
        if (fault === 'before') throw broken();
        const done = await store[name]!(turn, rows);
        if (fault === 'after') throw broken();
        return done as never;
      };
    return {
      ...{ topUp: call('topUp'), charge: call('charge'), giveBack: call('giveBack'), progress: call('progress') },
      ...(store.addUp && { addUp: (turn: Turn) => call('addUp')(turn, [] as never) }),
    };
  };
  return { through, faults, turns, inner: () => inner };
}

let cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const one of cleanUp.reverse()) await one();
  cleanUp = [];
});

test('64 holds need one statement for a new user and none for a known one; 64 charges need one', async () => {
  const open = await engines[0]!.open();
  cleanUp.push(() => open.drop());
  const begin = spyOn(prepared(sqliteOf(open.db).writer, 'begin immediate'), 'run');
  const billing = await openTestBilling(open, manualClock());
  cleanUp.push(() => billing.stop());
  const user = await addUser(open.db, 100_000);
  const holdAll = () => Promise.all(Array.from({ length: 64 }, () => billing.hold(ask(user, 100))));
  begin.mockClear();
  const first = await holdAll();
  expect(begin).toHaveBeenCalledTimes(1);
  const second = await holdAll();
  expect(begin).toHaveBeenCalledTimes(1);
  await Promise.all([...first, ...second].map((hold) => billing.settle(hold, used(1))));
  expect(begin).toHaveBeenCalledTimes(2);
  expect(await booksOf(open.db, user)).toMatchObject({ quota: 99_872, used: 128, requests: 128, held: 0 });
});

describe.each(engines)('a broken connection, on $name', (engine) => {
  async function start(): Promise<{ open: TestDb; billing: Billing; user: number } & ReturnType<typeof breakable>> {
    const open = await engine.open();
    const broke = breakable();
    const billing = await openTestBilling(open, systemClock, undefined, broke.through);
    cleanUp.push(
      () => open.drop(),
      () => billing.stop(),
    );
    return { ...broke, open, billing, user: await addUser(open.db, 1_000) };
  }

  test.each(['before', 'after'] as const)('%s a charge is written: it is charged once', async (when) => {
    const { open, billing, user, faults } = await start();
    const hold = await billing.hold(ask(user, 100));
    faults.charge = [when];
    expect(await billing.settle(hold, used(30))).toEqual({ settled: true, charged: 30, shortfall: 0 });
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 970, used: 30, requests: 1, logs: 30, days: 30 });
  });

  test.each(['before', 'after'] as const)('%s an allotment is filled: it is filled once', async (when) => {
    const { open, billing, user, faults } = await start();
    faults.topUp = [when];
    const hold = await billing.hold(ask(user, 900));
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 100, held: 900 });
    await billing.settle(hold, used(1));
    await billing.hold(ask(user, 999));
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 0, held: 999, used: 1 });
  });

  test('an allotment whose confirmation was lost is available later', async () => {
    const { open, billing, user, faults } = await start();
    faults.topUp = ['after', 'before'];
    await expect(billing.hold(ask(user, 400))).rejects.toThrow('connection lost');
    const other = await addUser(open.db, 50);
    await billing.hold(ask(other, 50));
    await billing.hold(ask(user, 1_000));
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 0, held: 1_000 });
  });

  test('a statement that a stalled server executes late has no effect', async () => {
    const { open, billing, user, turns, inner } = await start();
    const other = await addUser(open.db, 50);
    await billing.hold(ask(other, 50));
    const { owner, batch } = turns.at(-1)!;
    const asks = [{ user_id: user, key_id: 0, need: 10, least: 1, more: false }];
    expect(await inner().topUp({ owner, batch: batch + 1, after: batch - 1 }, asks)).toBeNull();
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 1_000 });
  });

  test.each(['before', 'after'] as const)('%s an allotment is returned: nothing is lost or doubled', async (when) => {
    const { open, billing, user, faults } = await start();
    await billing.release(await billing.hold(ask(user, 10)));
    faults.giveBack = [when];
    await billing.grant({ userId: user, quota: -990, note: '', by: 1 });
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 10, held: 0 });
    await billing.hold(ask(user, 10));
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 0, held: 10 });
  });

  test('a charge that can never be written affects no others and costs nothing', async () => {
    const { open, billing, user, faults } = await start();
    const holds = await Promise.all([1, 2, 3].map(() => billing.hold(ask(user, 100))));
    faults.charge = [new Error('not this one')];
    const settled = await Promise.all(holds.map((hold) => billing.settle(hold, used(10))));
    expect(settled.map(({ charged }) => charged)).toEqual([10, 10, 10]);
    const alone = await billing.hold(ask(user, 100));
    faults.charge = [new Error('nor this one')];
    await expect(billing.settle(alone, used(10))).rejects.toThrow('nor this one');
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 970, used: 30, held: 0 });
  });

  test('a long outage: callers get an error, and are charged later unless the answer was never given', async () => {
    const { open, billing, user, faults } = await start();
    const [tried, whole, streamed, kept] = (await Promise.all(
      [1, 2, 3, 4].map(() => billing.hold(ask(user, 100))),
    )) as [Hold, Hold, Hold, Hold];
    faults.charge = Array.from({ length: 10_000 }, () => 'before' as const);
    const now = performance.now.bind(performance);
    let aheadMs = 0;
    const time = spyOn(performance, 'now').mockImplementation(() => now() + aheadMs);
    try {
      const first = billing.settle(tried, used(1));
      await until('it was tried', () => faults.charge!.length < 10_000);
      const waiting = Promise.allSettled([
        first,
        billing.settle(whole, used(20)),
        billing.settle(streamed, { ...used(30), stream: true }),
        billing.settle(kept, { ...used(40), keep: { work: 'w', call: 'c', body: 'seven' } }),
      ]);
      aheadMs = 31_000;
      expect((await waiting).map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
      faults.charge = [];
      const books = () => booksOf(open.db, user);
      await until('the rest is charged', async () => (await books()).requests === 3);
      expect(await books()).toMatchObject({ quota: 929, held: 0, used: 71, logs: 71, days: 71 });
      expect(await findKept(open.db, { work: 'w', call: 'c' })).toBe('seven');
      // The hold of the request that is not charged was released and can be spent.
      const all = await billing.hold(ask(user, 929));
      await billing.settle(all, used(929));
      expect(await books()).toMatchObject({ quota: 0, used: 1_000 });
    } finally {
      time.mockRestore();
    }
  });

  test('a long outage without pending charges: the next caller checks whether it is over', async () => {
    const { billing, user, faults } = await start();
    faults.topUp = ['before', 'before'];
    await expect(billing.hold(ask(user, 100))).rejects.toThrow('connection lost');
    const now = performance.now.bind(performance);
    const time = spyOn(performance, 'now').mockImplementation(() => now() + 2_000);
    try {
      expect(await billing.hold(ask(user, 100))).toMatchObject({ amount: 100 });
    } finally {
      time.mockRestore();
    }
  });

  test('a stream whose progress is being written when it ends leaves no row', async () => {
    const { open, billing, user } = await start();
    const [charged, released] = await Promise.all([1, 2].map(() => billing.hold(ask(user, 100))));
    for (const hold of [charged!, released!]) billing.progress(hold, 5, usage, '/v1');
    const rows = () => open.db.selectFrom('billing_holds').select('progress').execute();
    await until('it is noted', async () => (await rows()).length === 2);
    billing.progress(charged!, 6, usage, '/v1');
    await Promise.all([billing.settle(charged!, used(10)), billing.release(released!)]);
    await until('both rows are gone', async () => (await rows()).length === 0);
  });
});

// SQLite has no other process that could consider this one dead.
describe.each(engines.filter(({ name }) => name === 'postgres'))('considered dead, on $name', (engine) => {
  test('a process that continues charges its answers once, and takes new allotments', async () => {
    const open = await engine.open();
    const user = await addUser(open.db, 1_000);
    const key = await addKey(open.db, user, 500, false);
    const billing = await openTestBilling(open, manualClock());
    cleanUp.push(
      () => open.drop(),
      () => billing.stop(),
    );
    const request = { userId: user, keyId: key, keyUnlimited: false, modelId: 'm', amount: 100 };
    const holds = await Promise.all(
      ['answered', 'released', 'cut'].map(() => billing.hold({ ...request, requestId: requestId() })),
    );
    const [answered, released, cut] = holds as [Hold, Hold, Hold];
    billing.progress(cut, 30, usage, '/v1');
    const noted = () => open.db.selectFrom('billing_holds').select('progress').execute();
    await until('its progress is written', async () => (await noted()).some(({ progress }) => progress === 30));
    // As other processes do after seconds without a heartbeat.
    await open.db.deleteFrom('owners').execute();
    await billing.sweep();
    const ledger = await booksOf(open.db, user);
    expect(ledger.quota + ledger.held).toBe(970);

    const settled = await Promise.all([
      billing.settle(answered, used(40)),
      billing.settle(cut, used(50)),
      billing.release(released),
    ]);
    expect(settled.map((one) => one.charged)).toEqual([40, 0, 0]);
    await billing.settle(answered, used(40));
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 930, held: 0, used: 70, ledger: -70, logs: 70 });
    expect(await keyOf(open.db, key)).toMatchObject({ remain: 430, used: 70 });
    const anew = await billing.hold({ ...request, requestId: requestId() });
    expect(await billing.settle(anew, used(20))).toMatchObject({ charged: 20 });
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 910, held: 0, used: 90, days: 90 });
  });
});

import { describe, expect, spyOn, test } from 'bun:test';
import { manualClock } from '../lib/clock.ts';
import { requestId } from '../lib/ids.ts';
import { Batcher } from './batcher.ts';
import { openBilling } from './billing.ts';
import { addUser, booksOf, engines, silent } from './engines.fixture.ts';
import { Settler } from './settle.ts';
import type { HoldStore, SettleRow } from './store/port.ts';

describe('Batcher', () => {
  test('what arrives together or while a batch runs is written together, in order', async () => {
    const batches: number[][] = [];
    const batcher = new Batcher<number, number>(async (items) => {
      batches.push(items);
      await Bun.sleep(5);
      return items.map((n) => n * 2);
    });
    const first = [1, 2, 3].map((n) => batcher.add(n));
    await Bun.sleep(1);
    const second = [4, 5].map((n) => batcher.add(n));
    expect(await Promise.all([...first, ...second])).toEqual([2, 4, 6, 8, 10]);
    expect(batches.flat()).toEqual([1, 2, 3, 4, 5]);
    expect(batches.length).toBeLessThanOrEqual(2);
    await batcher.idle();
  });

  test('a failed batch fails its own items only', async () => {
    const batcher = new Batcher<number, number>((items) => {
      if (items.includes(0)) throw new Error('no');
      return items;
    });
    await expect(batcher.add(0)).rejects.toThrow('no');
    expect(await batcher.add(1)).toBe(1);
  });
});

test('64 holds and 64 settlements at once are two transactions', async () => {
  const open = await engines[0]!.open();
  let transactions = 0;
  const counted = {
    ...open,
    writeSync: ((work) => {
      transactions += 1;
      return open.writeSync!(work);
    }) as NonNullable<typeof open.writeSync>,
  };
  const billing = await openBilling({ database: counted, clock: manualClock(), log: silent });
  const user = await addUser(open.db, 100_000);
  const request = { userId: user, keyId: null, keyUnlimited: true, amount: 100, modelId: 'm' };
  transactions = 0;
  const holds = await Promise.all(
    Array.from({ length: 64 }, () => billing.hold({ ...request, requestId: requestId() })),
  );
  expect(transactions).toBe(1);
  const usage = { promptTokens: 1, completionTokens: 1 };
  await Promise.all(holds.map((hold) => billing.settle(hold, { cost: 1, usage, endpoint: '/v1' })));
  expect(transactions).toBe(2);
  expect(await booksOf(open.db, user)).toMatchObject({ quota: 99_936, used: 64, requests: 64, held: 0 });
  await billing.stop();
  await open.drop();
});

describe('Settler', () => {
  const row = (id: string): SettleRow => ({
    request_id: id,
    user_id: 1,
    key_id: 0,
    amount: 1,
    key_amount: -1,
    log: null,
  });
  const done = { settled: true, charged: 0, shortfall: 0 };
  const storeThat = (settle: HoldStore['settle']) => ({ settle }) as HoldStore;

  test('waits for a database that is away', async () => {
    let tries = 0;
    const away = Object.assign(new Error('gone'), { code: 'ERR_POSTGRES_CONNECTION_CLOSED' });
    const settler = new Settler(
      storeThat((rows) => {
        tries += 1;
        if (tries < 3) throw away;
        return rows.map(() => done);
      }),
      silent,
    );
    expect(await settler.run([row('a')])).toEqual([done]);
    expect(tries).toBe(3);
  });

  test('its patience is for the trouble, not for each batch anew, and comes back when all is well', async () => {
    let full = true;
    let tries = 0;
    const settler = new Settler(
      storeThat((rows) => {
        tries += 1;
        if (full) throw Object.assign(new Error('no room'), { code: 'SQLITE_FULL' });
        return rows.map(() => done);
      }),
      silent,
    );
    const clock = spyOn(performance, 'now').mockReturnValue(1_000);
    try {
      const first = Promise.resolve(settler.run([row('a')]));
      clock.mockReturnValue(32_000);
      await expect(first).rejects.toThrow('no room');
      tries = 0;
      await expect(Promise.resolve(settler.run([row('b')]))).rejects.toThrow('no room');
      expect(tries).toBe(1);
      full = false;
      await settler.retryOverdue();
      expect(settler.overdue).toBe(0);
      full = true;
      const later = Promise.resolve(settler.run([row('c')]));
      full = false;
      expect(await later).toEqual([done]);
    } finally {
      clock.mockRestore();
    }
  });

  test('a row that cannot be written does not take the others along, and is released later', async () => {
    const written: string[] = [];
    const settler = new Settler(
      storeThat((rows) => {
        if (rows.some((one) => one.request_id === 'bad' && one.amount === 1 && one.log)) throw new Error('constraint');
        written.push(...rows.map((one) => one.request_id));
        return rows.map(() => done);
      }),
      silent,
    );
    const bad = { ...row('bad'), log: {} as NonNullable<SettleRow['log']> };
    const results = await settler.run([row('a'), bad, row('b')]);
    expect(results.map((one) => one.settled)).toEqual([true, false, true]);
    expect(settler.overdue).toBe(1);
    await settler.retryOverdue();
    expect(written.sort()).toEqual(['a', 'b', 'bad']);
    expect(settler.overdue).toBe(0);
  });
});

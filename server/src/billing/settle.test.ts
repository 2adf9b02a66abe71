import { describe, expect, spyOn, test } from 'bun:test';
import { manualClock } from '../lib/clock.ts';
import { requestId } from '../lib/ids.ts';
import { prepared } from '../platform/db/prepared.ts';
import { sqliteOf } from '../platform/db/sqlite-dialect.ts';
import { addUser, booksOf, engines, openTestBilling, silent } from './engines.fixture.ts';
import { Settler } from './settle.ts';
import type { HoldStore, SettleRow } from './store/port.ts';

test('64 holds and 64 settlements at once are two transactions', async () => {
  const open = await engines[0]!.open();
  const begin = spyOn(prepared(sqliteOf(open.db).writer, 'begin immediate'), 'run');
  const billing = await openTestBilling(open, manualClock());
  const user = await addUser(open.db, 100_000);
  const request = { userId: user, keyId: null, keyUnlimited: true, amount: 100, modelId: 'm' };
  begin.mockClear();
  const holds = await Promise.all(
    Array.from({ length: 64 }, () => billing.hold({ ...request, requestId: requestId() })),
  );
  expect(begin).toHaveBeenCalledTimes(1);
  const usage = { promptTokens: 1, completionTokens: 1 };
  await Promise.all(holds.map((hold) => billing.settle(hold, { cost: 1, usage, endpoint: '/v1' })));
  expect(begin).toHaveBeenCalledTimes(2);
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

import { describe, expect, test } from 'bun:test';
import { manualClock } from '../lib/clock.ts';
import { requestId } from '../lib/ids.ts';
import { until } from '../lib/until.fixture.ts';
import { addKey, addUser, booksOf, engines, keyOf, openTestBilling, silent } from './engines.fixture.ts';
import { settleRow, usageRow } from './rows.ts';
import { Settler } from './settle.ts';
import { settleLate } from './settle-late.ts';
import { postgresHoldStore } from './store/postgres.ts';
import type { Hold } from './types.ts';

const usage = { promptTokens: 1, completionTokens: 1 };
const detail = { usage, endpoint: '/v1' };

// On SQLite there is nobody else to think so.
describe.each(engines.filter(({ name }) => name === 'postgres'))(
  'a process that was taken for dead, on $name',
  (engine) => {
    test('and goes on charges what it answers, once', async () => {
      const open = await engine.open();
      const user = await addUser(open.db, 1_000);
      const key = await addKey(open.db, user, 500, false);
      const billing = await openTestBilling(open, manualClock());
      const request = { userId: user, keyId: key, keyUnlimited: false, modelId: 'm', amount: 100 };
      const holds = await Promise.all(
        ['answered', 'released', 'cut', 'owed'].map(() => billing.hold({ ...request, requestId: requestId() })),
      );
      const [answered, released, cut, owed] = holds as [Hold, Hold, Hold, Hold];
      billing.progress(cut, 30, usage, '/v1');
      await until('its progress is written', async () =>
        (await open.db.selectFrom('billing_holds').select('progress').execute()).some(
          ({ progress }) => progress === 30,
        ),
      );
      // As the others do when they have heard nothing for seconds.
      await open.db.deleteFrom('owners').execute();
      await billing.sweep();
      expect(await booksOf(open.db, user)).toMatchObject({ quota: 970, held: 0, used: 30 });

      const settled = await Promise.all([
        billing.settle(answered, { cost: 40, ...detail }),
        billing.settle(cut, { cost: 50, ...detail }),
        billing.release(released),
      ]);
      expect(settled.map((one) => one.charged)).toEqual([40, 0, 0]);
      await billing.settle(answered, { cost: 40, ...detail });
      // What could not be written at the time, and is tried again long after.
      const settle = settleLate(open.db, postgresHoldStore(open.db), () => billing.owners.id);
      const overdue = new Settler({ settle }, silent);
      for (const _ of ['once', 'and not again']) {
        overdue.owe([settleRow(owed, usageRow(owed, detail, 20, 1))]);
        await overdue.retryOverdue();
      }
      expect(await booksOf(open.db, user)).toMatchObject({ quota: 910, held: 0, used: 90, ledger: -90, logs: 90 });
      expect(await keyOf(open.db, key)).toMatchObject({ remain: 410 });
      await billing.stop();
      await open.drop();
    });
  },
);

import { describe, expect, test } from 'bun:test';
import { requestId } from '../lib/ids.ts';
import { openDb } from '../platform/db/open.ts';
import { addKey, addUser, booksOf, engines, keyOf, openTestBilling } from './engines.fixture.ts';
import type { HoldRequest } from './types.ts';

const usage = { promptTokens: 1, completionTokens: 1 };
const ask = (userId: number, amount: number, more: Partial<HoldRequest> = {}): HoldRequest => ({
  ...{ requestId: requestId(), userId, keyId: null, keyUnlimited: true, amount, modelId: 'm' },
  ...more,
});
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'ok',
    (error) => error.code,
  );

describe.each(engines.filter(({ name }) => name === 'postgres'))(
  'allotments of several processes, on $name',
  (engine) => {
    /** Each process has its own connections, and they communicate only through the database. */
    async function several(count: number, quota: number) {
      const open = await engine.open();
      const databases = await Promise.all(Array.from({ length: count }, () => openDb(open.where)));
      const all = await Promise.all(databases.map((database) => openTestBilling(database)));
      const stop = async () => {
        await Promise.all(all.map((billing) => billing.stop()));
        await Promise.all(databases.map((database) => database.close()));
        await open.drop();
      };
      return { open, all, user: await addUser(open.db, quota), stop };
    }

    test.each([2, 4])('are available to all of %d: no request is refused while the total is enough', async (count) => {
      const { open, all, user, stop } = await several(count, 1_000);
      for (const billing of all) await billing.release(await billing.hold(ask(user, 10)));
      // All of them have reserved some; each in turn needs nearly everything.
      for (const billing of all) {
        const hold = await billing.hold(ask(user, 950));
        expect(await billing.settle(hold, { cost: 1, usage, endpoint: '/v1' })).toMatchObject({ charged: 1 });
      }
      expect(await codeOf(all[0]!.hold(ask(user, 1_001 - count)))).toBe('insufficient_user_quota');
      expect(await codeOf(all[0]!.hold(ask(user, 1_000 - count)))).toBe('ok');
      expect(await codeOf(all[1]!.hold(ask(user, 1)))).toBe('insufficient_user_quota');
      expect(await booksOf(open.db, user)).toMatchObject({ used: count, logs: count, days: count });
      await stop();
    });

    test('of two that need all of it at the same time one succeeds', async () => {
      const { all, user, stop } = await several(2, 100);
      await all[0]!.release(await all[0]!.hold(ask(user, 60)));
      await all[1]!.release(await all[1]!.hold(ask(user, 40)));
      const codes = await Promise.all(all.map((billing) => codeOf(billing.hold(ask(user, 100)))));
      expect(codes.sort()).toEqual(['insufficient_user_quota', 'ok']);
      await stop();
    });

    test('are found by a cost above its hold, a job that outlives its process and a credit taken back', async () => {
      const { open, all, user, stop } = await several(2, 300);
      const [one, other] = all as [(typeof all)[number], (typeof all)[number]];
      await other.release(await other.hold(ask(user, 150)));
      const hold = await one.hold(ask(user, 100));
      expect(await one.settle(hold, { cost: 140, usage, endpoint: '/v1' })).toMatchObject({
        charged: 140,
        shortfall: 0,
      });
      await other.release(await other.hold(ask(user, 100)));
      const job = await one.hold(ask(user, 150, { durableUntilMs: Date.now() + 60_000 }));
      expect(job).toMatchObject({ amount: 150, durable: true });
      await other.release(job);
      await other.release(await other.hold(ask(user, 100)));
      await one.grant({ userId: user, quota: -160, note: '', by: 1 });
      expect(await booksOf(open.db, user)).toMatchObject({ quota: 0, used: 140, held: 0 });
      await stop();
    });

    test('a lowered key quota applies at once, wherever it was reserved', async () => {
      const { open, all, user, stop } = await several(2, 10_000);
      const key = await addKey(open.db, user, 1_000, false);
      const limited = { keyId: key, keyUnlimited: false };
      for (const billing of all) await billing.release(await billing.hold(ask(user, 10, limited)));
      const { changeKey } = await import('../identity/store/keys.ts');
      expect(await changeKey(open.db, user, key, { remain_quota: 50 }, () => '[]')).toMatchObject({ remain_quota: 50 });
      await all[0]!.recallKey(user, key);
      expect(await codeOf(all[0]!.hold(ask(user, 51, limited)))).toBe('insufficient_key_quota');
      expect(await codeOf(all[0]!.hold(ask(user, 50, limited)))).toBe('ok');
      expect(await codeOf(all[1]!.hold(ask(user, 1, limited)))).toBe('insufficient_key_quota');
      expect((await keyOf(open.db, key)).remain).toBe(50);
      await stop();
    });

    test('a process considered dead can recall a quota like any other, and continues', async () => {
      const { open, all, user, stop } = await several(2, 10_000);
      const [late, other] = all;
      const key = await addKey(open.db, user, 1_000, false);
      const limited = { keyId: key, keyUnlimited: false };
      await late!.release(await late!.hold(ask(user, 10, limited)));
      await open.db.deleteFrom('owners').where('id', '=', late!.owners.id).execute();
      await other!.sweep();
      await late!.recallKey(user, key);
      await late!.release(await late!.hold(ask(user, 1_000, limited)));
      await late!.recallKey(user, key);
      expect((await keyOf(open.db, key)).remain).toBe(1_000);
      await stop();
    });
  },
);

describe.each(engines)('a process that stops, on $name', (engine) => {
  test('leaves nothing behind', async () => {
    const open = await engine.open();
    const user = await addUser(open.db, 1_000);
    const key = await addKey(open.db, user, 500, false);
    const billing = await openTestBilling(open);
    const hold = await billing.hold(ask(user, 100, { keyId: key, keyUnlimited: false }));
    await billing.settle(hold, { cost: 30, usage, endpoint: '/v1' });
    await billing.stop();
    const left = await Promise.all(
      (['billing_purses', 'billing_writers', 'billing_holds', 'usage_days_open'] as const).map((table) =>
        open.db.selectFrom(table).selectAll().execute(),
      ),
    );
    expect(left.flat()).toEqual([]);
    const [row] = await open.db.selectFrom('users').selectAll().where('id', '=', user).execute();
    expect(row).toMatchObject({ quota: 970, used_quota: 30, request_count: 1 });
    const [ofKey] = await open.db.selectFrom('api_keys').selectAll().where('id', '=', key).execute();
    expect(ofKey).toMatchObject({ remain_quota: 470, used_quota: 30 });
    const days = await open.db.selectFrom('usage_days').select(['quota', 'requests']).execute();
    expect(days).toEqual([{ quota: 30, requests: 1 }]);
    await open.drop();
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { requestId } from '../lib/ids.ts';
import { until } from '../lib/until.fixture.ts';
import { isUnavailable } from '../platform/durable/errors.ts';
import type { Owners } from '../platform/durable/owners.ts';
import type { Billing } from './billing.ts';
import { addUser, booksOf, engines, openTestBilling, type TestDb } from './engines.fixture.ts';
import { longestKept } from './rows.ts';
import { exportOf, forget } from './store/account-data.ts';
import { findKept, forgetKept, keptOf, sweepKept } from './store/kept-answers.ts';
import type { AllotmentStore } from './store/port.ts';

const usage = { promptTokens: 1, completionTokens: 1 };
const settlement = (cost: number, work: string, body = 'seven', call = '1') => ({
  ...{ cost, usage, endpoint: '/v1', keep: { work, call, body } },
});

describe.each(engines)('an answer stored with its charge, on $name', (engine) => {
  let open: TestDb;
  let billing: Billing & { owners: Owners };
  let user: number;
  let refusing: Error | null = null;
  beforeAll(async () => {
    open = await engine.open();
    const through = (store: AllotmentStore): AllotmentStore => ({
      ...store,
      charge: (turn, batch) => {
        if (refusing) throw refusing;
        return store.charge(turn, batch);
      },
    });
    billing = await openTestBilling(open, undefined, undefined, through);
    user = await addUser(open.db, 1_000_000);
  });
  afterAll(async () => {
    await billing.stop();
    await open.drop();
  });
  const hold = (more = {}) =>
    billing.hold({
      ...{ requestId: requestId(), userId: user, keyId: null, keyUnlimited: true, amount: 100, modelId: 'm' },
      ...more,
    });

  test('is written for every kind of charge', async () => {
    const lasting = { durableUntilMs: Date.now() + 3_600_000 };
    const ways = { usual: await hold(), lasting: await hold(lasting), unheld: await hold({ amount: 0 }) };
    for (const [work, way] of Object.entries(ways)) {
      expect(await billing.settle(way, settlement(7, work))).toMatchObject({ settled: true, charged: 7 });
      expect(await keptOf(open.db, work)).toEqual([{ call: '1', request_id: way.requestId, body: 'seven' }]);
    }
    expect(await booksOf(open.db, user)).toMatchObject({ used: 21, requests: 3 });
  });

  test('is written with its charge or not at all', async () => {
    const refused = await hold();
    refusing = new Error('refused');
    await expect(billing.settle(refused, settlement(7, 'refused'))).rejects.toThrow('refused');
    refusing = null;
    expect(await keptOf(open.db, 'refused')).toEqual([]);
    // A hold that is gone cannot be charged, and an answer that costs nothing may be requested again.
    expect((await billing.settle(refused, settlement(7, 'gone'))).settled).toBe(false);
    await billing.settle(await hold({ amount: 0 }), settlement(0, 'free'));
    // Free requests are logged in the background.
    await until('the free one is logged', async () => (await booksOf(open.db, user)).requests === 4);
    expect([...(await keptOf(open.db, 'gone')), ...(await keptOf(open.db, 'free'))]).toEqual([]);
  });

  test('is neither written nor charged by a process considered dead whose work was taken over', async () => {
    const { used, requests } = await booksOf(open.db, user);
    const [work, chat, long, texts] = [await hold(), await hold(), await hold(), await hold()];
    await sql`delete from owners where id = ${billing.owners.id}`.execute(open.db);
    await billing.sweep();
    const plain = { cost: 2, usage, endpoint: '/v1' };
    const [given, shown] = [billing.settle(work, settlement(7, 'elsewhere')), billing.settle(chat, plain)];
    const elsewhere = [
      given,
      billing.settle(long, settlement(7, 'elsewhere', 'x'.repeat(longestKept + 1))),
      billing.settle(texts, { ...plain, resumable: true }),
    ];
    for (const one of elsewhere) expect(isUnavailable(await one.catch((error) => error))).toBeTrue();
    // The client has seen this answer, so it is charged: it cannot be replaced by another.
    expect(await shown).toMatchObject({ settled: true, charged: 2 });
    expect(await keptOf(open.db, 'elsewhere')).toEqual([]);
    expect(await booksOf(open.db, user)).toMatchObject({ used: used + 2, requests: requests + 1 });
  });

  test('is written among others, first per call wins, and with text that engines reject', async () => {
    const odd = 'a\0b\ud800 \\u0000 "é"';
    const rows = await Promise.all(Array.from({ length: 20 }, () => hold()));
    const plain = { cost: 1, usage, endpoint: '/v1' };
    const all = rows.map((one, i) => billing.settle(one, i % 2 ? settlement(1, 'many', odd, `${i % 4}`) : plain));
    await Promise.all(all);
    const kept = (await keptOf(open.db, 'many')).toSorted((a, b) => a.call.localeCompare(b.call));
    expect(kept.map(({ call, body }) => [call, body])).toEqual(
      ['1', '3'].map((call) => [call, 'ab\ufffd \\u0000 "é"']),
    );
  });

  test('is not written if it is too long, which does not affect the charge', async () => {
    const { used } = await booksOf(open.db, user);
    await billing.settle(await hold(), settlement(3, 'long', 'x'.repeat(longestKept + 1)));
    await billing.settle(await hold(), settlement(3, 'longest', 'x'.repeat(longestKept)));
    expect(await findKept(open.db, { work: 'long', call: '1' })).toBeNull();
    expect(await findKept(open.db, { work: 'longest', call: '1' })).toHaveLength(longestKept);
    expect((await booksOf(open.db, user)).used).toBe(used + 6);
  });

  test('is deleted when its work has it, after a day, and with its user, whose export includes it', async () => {
    for (const call of ['1', '2', '3']) await billing.settle(await hold(), settlement(1, 'done', 'seven', call));
    await forgetKept(open.db, 'done', ['1', '3']);
    expect((await keptOf(open.db, 'done')).map(({ call }) => call)).toEqual(['2']);
    await sweepKept(open.db, Math.floor(Date.now() / 1000));
    expect(await keptOf(open.db, 'done')).toHaveLength(1);
    const told = (await Array.fromAsync(exportOf(open.db, user).kept_answers!)).flat();
    expect(told).toContainEqual(expect.objectContaining({ work: 'done', call: '2', body: 'seven' }));
    await sql`update kept_answers set created_at = created_at - 86401 where work = 'done'`.execute(open.db);
    await sweepKept(open.db, Math.floor(Date.now() / 1000));
    expect(await keptOf(open.db, 'done')).toEqual([]);
    expect(await keptOf(open.db, 'usual')).toHaveLength(1);
    await forget(open.db, user);
    expect(await keptOf(open.db, 'usual')).toEqual([]);
  });
});

/** What processes of the previous release leave behind, and how to run side by side with them. */
import { describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { manualClock, systemClock } from '../lib/clock.ts';
import { until } from '../lib/until.fixture.ts';
import type { Db } from '../platform/db/tables.ts';
import { beatMs } from '../platform/durable/owners.ts';
import { addKey, addUser, booksOf, engines, keyOf, openTestBilling } from './engines.fixture.ts';

/** What a process of that release does with a request: it moves money from the balance to a row. */
async function holdAsBefore(db: Db, owner: string, userId: number, amount: number, progress = 0): Promise<void> {
  await sql`update users set quota = quota - ${amount} where id = ${userId}`.execute(db);
  await sql`insert into billing_holds (request_id, user_id, key_id, amount, key_amount, model_id, estimate, progress,
      progress_usage, owner, expires_at, created_at)
    values (${`held-by-${owner}`}, ${userId}, 0, ${amount}, -1, 'm', '{}', ${progress}, '{"promptTokens":1}', ${owner}, 0, 0)`.execute(
    db,
  );
}

describe.each(engines)('running beside the previous release, on $name', (engine) => {
  test('its reserved sum is returned once, whoever finds it', async () => {
    const open = await engine.open();
    const user = await addUser(open.db, 100);
    const key = await addKey(open.db, user, 40, false);
    await sql`insert into billing_reserves values ('gone', ${user}, 0, 2, 30, 0), ('gone', ${user}, ${key}, 1, 20, 20)`.execute(
      open.db,
    );
    const first = await openTestBilling(open);
    await Promise.all([first.sweep(), first.sweep()]);
    expect((await booksOf(open.db, user)).quota).toBe(150);
    expect(await keyOf(open.db, key)).toEqual({ remain: 60, used: 0 });
    await first.stop();
    await open.drop();
  });

  test('its holds are kept while it lives, and settled when it stops responding', async () => {
    const open = await engine.open();
    const user = await addUser(open.db, 1_000);
    const listening = manualClock();
    const billing = await openTestBilling(open, systemClock, listening);
    await sql`insert into owners (id, beats, slow) values ('slow', 1, 1)`.execute(open.db);
    await holdAsBefore(open.db, 'slow', user, 300, 120);
    // Its heartbeat runs every ten seconds.
    for (let beat = 1; beat <= 40; beat++) {
      if (beat % 10 === 0) await sql`update owners set beats = beats + 1 where id = 'slow'`.execute(open.db);
      listening.advance(beatMs);
      await billing.owners.look();
    }
    await billing.sweep();
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 700, held: 300, used: 0 });
    for (let beat = 1; beat <= 40; beat++) {
      listening.advance(beatMs);
      await billing.owners.look();
    }
    await billing.sweep();
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 880, held: 0, used: 120, logs: 120, days: 120 });
    await billing.stop();
    await open.drop();
  });
});

test.each(engines.filter(({ name }) => name === 'postgres'))(
  'beside the previous release no more is reserved than is held, since it cannot ask for it ($name)',
  async (engine) => {
    const open = await engine.open();
    const user = await addUser(open.db, 1_000);
    await sql`insert into owners (id, beats, slow) values ('slow', 1, 1)`.execute(open.db);
    const billing = await openTestBilling(open);
    const balance = async () =>
      (await sql<{ quota: number }>`select quota from users where id = ${user}`.execute(open.db)).rows[0]!.quota;
    const request = { userId: user, keyId: null, keyUnlimited: true, amount: 100, modelId: 'm' };
    const hold = await billing.hold({ ...request, requestId: 'one' });
    expect(await balance()).toBe(900);
    await billing.settle(hold, { cost: 30, usage: { promptTokens: 1, completionTokens: 1 }, endpoint: '/v1' });
    await until('the rest is back', async () => (await balance()) === 970);
    await billing.stop();
    await open.drop();
  },
);

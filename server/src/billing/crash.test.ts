import { describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { systemClock } from '../lib/clock.ts';
import { openBilling } from './billing.ts';
import { addUser, booksOf, engines, silent } from './engines.fixture.ts';
import { deadAfterSeconds } from './sweep.ts';

describe.each(engines)('a killed process on $name', (engine) => {
  test('every answered request is charged once, running ones to their progress or not at all, and no hold is left', async () => {
    const open = await engine.open();
    const user = await addUser(open.db, 10_000_000);
    const child = Bun.spawn(
      [process.execPath, `${import.meta.dir}/kill.fixture.ts`, JSON.stringify([open.where, user])],
      { stdout: 'pipe', stderr: 'inherit' },
    );
    const output = new Response(child.stdout).text();
    const written = () =>
      sql<{ progress: number }>`select progress from billing_holds where request_id = 'endless'`
        .execute(open.db)
        .then(({ rows }) => rows[0]?.progress ?? 0);
    const charges = () =>
      sql<{ n: number }>`select count(*) as n from usage_logs where quota > 0`
        .execute(open.db)
        .then(({ rows }) => Number(rows[0]?.n));
    while ((await written()) === 0 || (await charges()) < 150) await Bun.sleep(50);
    child.kill('SIGKILL');
    await child.exited;
    const lines = (await output).split('\n');
    const answered = lines.filter((line) => line === 'answered').length;
    const served = lines.filter((line) => line === 'served').length;

    const later = { nowMs: () => systemClock.nowMs() + (deadAfterSeconds + 2) * 1000 };
    const billing = await openBilling({ database: open, clock: later, log: silent });
    // PostgreSQL finishes the statement it was at when its client died, so a hold may appear after the first sweep.
    let books = await booksOf(open.db, user);
    for (let i = 0; i < 50 && (i < 2 || books.held > 0); i += 1) {
      await billing.sweep();
      await Bun.sleep(50);
      books = await booksOf(open.db, user);
    }
    const charged = books.requests - 1;
    expect(charged).toBeGreaterThanOrEqual(answered);
    expect(charged).toBeLessThanOrEqual(served);
    expect(answered).toBeGreaterThan(100);
    expect(books.used).toBe(charged * 7 + 333);
    expect(books.quota + books.used).toBe(10_000_000);
    expect(books).toMatchObject({ held: 0, ledger: -books.used, logs: books.used, days: books.used });
    const twice = await sql`select request_id from usage_logs group by request_id having count(*) > 1`.execute(open.db);
    expect(twice.rows).toEqual([]);
    const log = await open.db
      .selectFrom('usage_logs')
      .selectAll()
      .where('request_id', '=', 'endless')
      .executeTakeFirst();
    expect(log).toMatchObject({ status: 'interrupted', quota: 333, endpoint: '/v1', completion_tokens: 1 });
    await billing.stop();
    await open.drop();
  }, 30_000);

  test('holds of living processes and durable ones are left alone', async () => {
    const open = await engine.open();
    const user = await addUser(open.db, 1000);
    let ahead = 0;
    const clock = { nowMs: () => systemClock.nowMs() + ahead };
    const billing = await openBilling({ database: open, clock, log: silent });
    const request = { userId: user, keyId: null, keyUnlimited: true, modelId: 'm', amount: 100 };
    await billing.hold({ ...request, requestId: 'alive' });
    await billing.hold({ ...request, requestId: 'video', durableUntilMs: clock.nowMs() + 3_600_000 });
    expect(await billing.sweep()).toBe(0);
    await billing.stop();
    const next = await openBilling({ database: open, clock, log: silent });
    await next.sweep();
    expect(await next.findHold('alive')).toBeNull();
    const video = await next.findHold('video');
    expect(video).toMatchObject({ amount: 100, userId: user });
    ahead = 3_601_000;
    expect(await next.sweep()).toBe(1);
    expect(await booksOf(open.db, user)).toMatchObject({ quota: 1000, held: 0 });
    await next.stop();
    await open.drop();
  });
});

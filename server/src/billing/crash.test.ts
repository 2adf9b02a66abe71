import { describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { manualClock, systemClock } from '../lib/clock.ts';
import { until } from '../lib/until.fixture.ts';
import { beatMs, deadAfterMs } from '../platform/durable/owners.ts';
import { addUser, booksOf, chargedOverall, engines, openTestBilling } from './engines.fixture.ts';

describe.each(engines)('a killed process on $name', (engine) => {
  const counts = engine.name === 'postgres' ? [1, 2, 4] : [1];
  test.each(counts)(
    '%d killed: every answered request is charged once, running ones up to their progress',
    async (count) => {
      const open = await engine.open();
      const user = await addUser(open.db, 10_000_000);
      const folder = mkdtempSync(join(tmpdir(), 'svc-killed-'));
      const children = Array.from({ length: count }, (_, n) => {
        const told = JSON.stringify([open.where, user, join(folder, `witness-${n}`), `endless-${n}`]);
        const fixture = `${import.meta.dir}/kill.fixture.ts`;
        return Bun.spawn([process.execPath, fixture, told], { stdout: 'inherit', stderr: 'inherit' });
      });
      const written = async () =>
        (await open.db.selectFrom('billing_holds').select('progress').execute()).filter(({ progress }) => progress > 0);
      const charges = () =>
        sql<{ n: number }>`select count(*) as n from usage_logs where quota > 0`
          .execute(open.db)
          .then(({ rows }) => Number(rows[0]?.n));
      await until(
        'all are under way',
        async () => (await written()).length === count && (await charges()) >= 150 * count,
      );
      for (const child of children) child.kill('SIGKILL');
      await Promise.all(children.map((child) => child.exited));
      const lines = children.flatMap((_, n) => readFileSync(join(folder, `witness-${n}`), 'utf8').split('\n'));
      rmSync(folder, { recursive: true });
      const answered = lines.filter((line) => line === 'answered').length;
      const served = lines.filter((line) => line === 'served').length;

      const listening = manualClock();
      const billing = await openTestBilling(open, systemClock, listening);
      for (let silentMs = 0; silentMs < deadAfterMs + beatMs; silentMs += beatMs) {
        listening.advance(beatMs);
        await billing.owners.look();
      }
      // PostgreSQL finishes the running statement after its client died, so rows may appear after the first sweep.
      const left = async () => {
        const allotments = await open.db.selectFrom('billing_purses').select('owner').execute();
        return allotments.length + (await written()).length;
      };
      await until('nothing is kept', async () => {
        await billing.sweep();
        return (await left()) === 0;
      });
      const books = await booksOf(open.db, user);
      const charged = books.requests - count;
      expect(charged).toBeGreaterThanOrEqual(answered);
      expect(charged).toBeLessThanOrEqual(served);
      expect(answered).toBeGreaterThan(100);
      expect(books.used).toBe(charged * 7 + count * 333);
      expect(books.quota + books.used).toBe(10_000_000);
      expect(books).toMatchObject({ held: 0, ledger: -books.used, logs: books.used, days: books.used });
      expect(await chargedOverall(open.db)).toEqual({ totals: books.used, days: books.used });
      const twice = await sql`select request_id from usage_logs group by request_id having count(*) > 1`.execute(
        open.db,
      );
      expect(twice.rows).toEqual([]);
      const log = await open.db
        .selectFrom('usage_logs')
        .selectAll()
        .where('request_id', '=', 'endless-0')
        .executeTakeFirst();
      expect(log).toMatchObject({ status: 'interrupted', quota: 333, endpoint: '/v1', completion_tokens: 1 });
      await billing.stop();
      await open.drop();
    },
    300_000,
  );

  test('if all processes die early, the next returns their allotments before its first heartbeat', async () => {
    const open = await engine.open();
    const user = await addUser(open.db, 1000);
    const young = manualClock();
    const died = await openTestBilling(open, systemClock, young);
    await died.hold({ userId: user, keyId: null, keyUnlimited: true, modelId: 'm', amount: 100, requestId: 'young' });
    const kept = () => open.db.selectFrom('billing_purses').select('owner').execute();
    expect((await kept()).map(({ owner }) => owner)).toEqual([died.owners.id]);
    await open.db
      .updateTable('owners')
      .set((eb) => ({ beaten_at: eb('beaten_at', '-', 31) }))
      .execute();
    const next = await openTestBilling(open, systemClock, young);
    expect(await kept()).toEqual([]);
    const { quota } = await open.db
      .selectFrom('users')
      .select('quota')
      .where('id', '=', user)
      .executeTakeFirstOrThrow();
    expect(quota).toBe(1000);
    await next.stop();
    await died.stop();
    await open.drop();
  });

  test('holds of living processes and durable holds are kept', async () => {
    const open = await engine.open();
    const user = await addUser(open.db, 1000);
    let ahead = 0;
    const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + ahead };
    const billing = await openTestBilling(open, clock);
    const request = { userId: user, keyId: null, keyUnlimited: true, modelId: 'm', amount: 100 };
    await billing.hold({ ...request, requestId: 'alive' });
    await billing.hold({ ...request, requestId: 'video', durableUntilMs: clock.nowMs() + 3_600_000 });
    expect(await billing.sweep()).toBe(0);
    await billing.stop();
    const next = await openTestBilling(open, clock);
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

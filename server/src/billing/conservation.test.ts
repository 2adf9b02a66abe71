import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { manualClock } from '../lib/clock.ts';
import { requestId } from '../lib/ids.ts';
import type { Billing } from './billing.ts';
import { addKey, addUser, booksOf, engines, keyOf, openTestBilling, type TestDb } from './engines.fixture.ts';
import type { Hold } from './types.ts';

const step = fc.oneof(
  fc.record({ kind: fc.constant('hold' as const), amount: fc.integer({ min: 0, max: 400 }), limited: fc.boolean() }),
  fc.record({ kind: fc.constant('settle' as const), which: fc.nat(20), cost: fc.integer({ min: 0, max: 500 }) }),
  fc.record({ kind: fc.constant('release' as const), which: fc.nat(20) }),
  fc.record({ kind: fc.constant('progress' as const), which: fc.nat(20), cost: fc.integer({ min: 0, max: 300 }) }),
  fc.record({ kind: fc.constant('grant' as const), quota: fc.integer({ min: -300, max: 300 }) }),
  fc.record({ kind: fc.constant('crash' as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const start = 1000;
const keyStart = 600;
const usage = { promptTokens: 1, completionTokens: 1 };

describe.each(engines)('conservation on $name', (engine) => {
  let open: TestDb;
  const clock = manualClock();
  beforeAll(async () => {
    open = await engine.open();
  });
  afterAll(() => open.drop());

  /** Steps of one round run at the same time, so that they meet in batches; a crash forgets what the process knew. */
  async function play(rounds: Step[][]): Promise<{ user: number; key: number; billing: Billing }> {
    const user = await addUser(open.db, start);
    const key = await addKey(open.db, user, keyStart, false);
    let billing = await openTestBilling(open, clock);
    let holds: Hold[] = [];
    for (const round of rounds) {
      let crashed = false;
      await Promise.all(
        round.map(async (one) => {
          const hold = 'which' in one && holds.length > 0 ? holds[one.which % holds.length]! : null;
          if (one.kind === 'hold') {
            const request = { requestId: requestId(), userId: user, modelId: 'm', amount: one.amount };
            const taken = one.limited ? { keyId: key, keyUnlimited: false } : { keyId: null, keyUnlimited: true };
            const held = await billing.hold({ ...request, ...taken }).catch(() => null);
            if (held) holds.push(held);
          } else if (one.kind === 'grant') {
            await billing.grant({ userId: user, quota: one.quota, note: '', by: 0 }).catch(() => null);
          } else if (one.kind === 'crash') crashed = true;
          else if (hold && one.kind === 'settle')
            await billing.settle(hold, { cost: one.cost, usage, endpoint: '/v1' });
          else if (hold && one.kind === 'release') await billing.release(hold);
          else if (hold && one.kind === 'progress') billing.progress(hold, one.cost, usage, '/v1');
        }),
      );
      if (crashed) {
        await billing.stop();
        billing = await openTestBilling(open, clock);
        await billing.sweep();
        expect((await booksOf(open.db, user)).held).toBe(0);
        holds = holds.slice(0, 3);
      }
      await check(user, key);
    }
    return { user, key, billing };
  }

  async function check(user: number, key: number): Promise<void> {
    const books = await booksOf(open.db, user);
    const grants = await sql<{ n: number }>`select coalesce(sum(amount), 0) as n from credits
      where user_id = ${user}`.execute(open.db);
    expect(books.quota).toBeGreaterThanOrEqual(0);
    expect(books.quota + books.held + books.used).toBe(start + Number(grants.rows[0]!.n));
    expect(books.ledger).toBe(Number(grants.rows[0]!.n) - books.used);
    expect((await keyOf(open.db, key)).remain).toBeGreaterThanOrEqual(0);
  }

  test('balance + holds + used is what was granted, whatever happens in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { maxLength: 8 }), async (rounds) => {
        const { user, key, billing } = await play(rounds);
        await billing.stop();
        const last = await openTestBilling(open, clock);
        await last.sweep();
        await last.stop();
        await check(user, key);
        const books = await booksOf(open.db, user);
        expect(books).toMatchObject({ held: 0, logs: books.used, days: books.used });
      }),
      { numRuns: engine.name === 'sqlite' ? 60 : 30 },
    );
  }, 300_000);
});

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { manualClock } from '../lib/clock.ts';
import { requestId } from '../lib/ids.ts';
import {
  addKey,
  addUser,
  booksOf,
  chargedOverall,
  engines,
  keyOf,
  openTestBilling,
  type TestDb,
} from './engines.fixture.ts';
import type { Hold } from './types.ts';

/** The process that takes the step. */
const at = fc.nat(3);
const step = fc.oneof(
  fc.record({
    at,
    kind: fc.constant('hold' as const),
    amount: fc.integer({ min: 0, max: 400 }),
    limited: fc.boolean(),
  }),
  fc.record({ at, kind: fc.constant('settle' as const), which: fc.nat(20), cost: fc.integer({ min: 0, max: 500 }) }),
  fc.record({ at, kind: fc.constant('release' as const), which: fc.nat(20) }),
  fc.record({ at, kind: fc.constant('progress' as const), which: fc.nat(20), cost: fc.integer({ min: 0, max: 300 }) }),
  fc.record({ at, kind: fc.constant('grant' as const), quota: fc.integer({ min: -300, max: 300 }) }),
  fc.record({ at, kind: fc.constant('crash' as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const start = 1000;
const keyStart = 600;
const usage = { promptTokens: 1, completionTokens: 1 };

type Process = Awaited<ReturnType<typeof openTestBilling>>;
const settings = engines.flatMap((engine) =>
  (engine.name === 'postgres' ? [1, 2, 4] : [1]).map((count) => ({ name: engine.name, engine, count })),
);

describe.each(settings)('conservation on $name with $count processes', ({ engine, count }) => {
  let open: TestDb;
  const clock = manualClock();
  beforeAll(async () => {
    open = await engine.open();
  });
  afterAll(() => open.drop());

  /**
   * Steps of a round run concurrently, so that they share batches. With a single process, a crash ends it for good; one
   * of several is considered dead by the others and continues.
   */
  async function play(rounds: Step[][]): Promise<{ user: number; key: number }> {
    const user = await addUser(open.db, start);
    const key = await addKey(open.db, user, keyStart, false);
    let all = await openAll();
    let holds: { hold: Hold; at: number }[] = [];
    for (const round of rounds) {
      let crashed: number | null = null;
      await Promise.all(
        round.map(async (one) => {
          const here = one.at % count;
          const own = holds.filter((held) => held.at === here);
          const hold = 'which' in one && own.length > 0 ? own[one.which % own.length]!.hold : null;
          const billing = all[here]!;
          if (one.kind === 'hold') {
            const request = { requestId: requestId(), userId: user, modelId: 'm', amount: one.amount };
            const taken = one.limited ? { keyId: key, keyUnlimited: false } : { keyId: null, keyUnlimited: true };
            const held = await billing.hold({ ...request, ...taken }).catch(() => null);
            if (held) holds.push({ hold: held, at: here });
          } else if (one.kind === 'grant') {
            await billing.grant({ userId: user, quota: one.quota, note: '', by: 0 }).catch(() => null);
          } else if (one.kind === 'crash') crashed = here;
          else if (hold && one.kind === 'settle')
            await billing.settle(hold, { cost: one.cost, usage, endpoint: '/v1' });
          else if (hold && one.kind === 'release') await billing.release(hold);
          else if (hold && one.kind === 'progress') billing.progress(hold, one.cost, usage, '/v1');
        }),
      );
      if (crashed !== null && count === 1) {
        await all[0]!.stop();
        all = await openAll();
        expect((await booksOf(open.db, user)).held).toBe(0);
        holds = holds.slice(0, 3);
      } else if (crashed !== null) {
        await open.db.deleteFrom('owners').where('id', '=', all[crashed]!.owners.id).execute();
        await all[(crashed + 1) % count]!.sweep();
      }
      await check(user, key);
    }
    for (const billing of all) await billing.stop();
    return { user, key };
  }

  const openAll = async (): Promise<Process[]> => {
    const all: Process[] = [];
    for (let n = 0; n < count; n += 1) all.push(await openTestBilling(open, clock));
    return all;
  };

  async function check(user: number, key: number): Promise<void> {
    const books = await booksOf(open.db, user);
    const grants = await sql<{ n: number }>`select coalesce(sum(amount), 0) as n from credits
      where user_id = ${user}`.execute(open.db);
    // A process considered dead still counts its holds for a moment.
    expect(count === 1 ? books.quota : books.quota + books.held).toBeGreaterThanOrEqual(0);
    expect(books.quota + books.held + books.used).toBe(start + Number(grants.rows[0]!.n));
    expect(books.ledger).toBe(Number(grants.rows[0]!.n) - books.used);
    const { totals, days } = await chargedOverall(open.db);
    expect(totals).toBe(days);
    const { rows } = await sql<{ n: number }>`select remain_quota as n from api_keys_now where id = ${key}`.execute(
      open.db,
    );
    expect(count === 1 ? (await keyOf(open.db, key)).remain : Number(rows[0]!.n)).toBeGreaterThanOrEqual(0);
  }

  test('balance + holds + used equals the grants, for any sequence of operations', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { maxLength: 8 }), async (rounds) => {
        const { user, key } = await play(rounds);
        const last = await openTestBilling(open, clock);
        await last.sweep();
        await last.stop();
        await check(user, key);
        const books = await booksOf(open.db, user);
        expect(books).toMatchObject({ held: 0, logs: books.used, days: books.used });
      }),
      { numRuns: engine.name === 'sqlite' ? 60 : 20 },
    );
  }, 300_000);
});

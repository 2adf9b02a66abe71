import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { manualClock, nowSeconds } from '../lib/clock.ts';
import { requestId } from '../lib/ids.ts';
import { addKey, addUser, booksOf, engines, openTestBilling, type TestDb } from './engines.fixture.ts';
import { addBudgets, TestLevels, windowOf } from './levels.fixture.ts';
import type { OpenBudget } from './levels.ts';
import { catchUp } from './store/filing.ts';
import { limitWindows } from './store/windows.ts';
import type { Hold } from './types.ts';

/**
 * Conservation with budgets: whatever happens in any order and process, a budget's usage equals the charges of its
 * requests, and what is left plus what is used equals its amount. Two teams share an organisation, and one balance
 * pays.
 */

const at = fc.nat(3);
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      at,
      kind: fc.constant('hold' as const),
      amount: fc.integer({ min: 0, max: 120 }),
      team: fc.nat(1),
      lasting: fc.boolean(),
    }),
  },
  {
    weight: 3,
    // Never more than the hold: costs beyond it have tests of their own.
    arbitrary: fc.record({ at, kind: fc.constant('settle' as const), which: fc.nat(20), percent: fc.nat(100) }),
  },
  { weight: 1, arbitrary: fc.record({ at, kind: fc.constant('release' as const), which: fc.nat(20) }) },
  {
    weight: 1,
    arbitrary: fc.record({ at, kind: fc.constant('progress' as const), which: fc.nat(20), percent: fc.nat(100) }),
  },
  { weight: 1, arbitrary: fc.record({ at, kind: fc.constant('move' as const), team: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ at, kind: fc.constant('recall' as const) }) },
  { weight: 1, arbitrary: fc.record({ at, kind: fc.constant('limit' as const) }) },
  { weight: 1, arbitrary: fc.record({ at, kind: fc.constant('crash' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const usage = { promptTokens: 1, completionTokens: 1 };
type Process = Awaited<ReturnType<typeof openTestBilling>>;
const settings = engines.flatMap((engine) =>
  (engine.name === 'postgres' ? [1, 3] : [1]).map((count) => ({ name: engine.name, engine, count })),
);

describe.each(settings)('accounting over budget levels on $name with $count processes', ({ engine, count }) => {
  let open: TestDb;
  const clock = manualClock();
  beforeAll(async () => {
    open = await engine.open();
  });
  afterAll(() => open.drop());

  interface Scene {
    payer: number;
    /** Each team's key and the budgets that apply to it: the team's, then the organisation's. */
    teams: { key: number; user: number; budgets: OpenBudget[] }[];
    all: OpenBudget[];
    levels: TestLevels;
  }

  async function scene(): Promise<Scene> {
    const payer = await addUser(open.db, 2_000);
    const all = await addBudgets(open.db, [300, 400, 500]);
    const levels = new TestLevels();
    const teams = await Promise.all(
      [0, 1].map(async (n) => {
        const user = await addUser(open.db, 0);
        const key = await addKey(open.db, user, 0, true);
        const budgets = [all[n]!, all[2]!];
        levels.places.set(key, { payerId: payer, budgets });
        return { key, user, budgets };
      }),
    );
    return { payer, teams, all, levels };
  }

  /** As a change of a budget does, whatever it changes: the amounts stay. */
  async function limitAgain(billing: Process, budgets: OpenBudget[]): Promise<void> {
    for (const { windowId, amount } of budgets) {
      const window = open.db.selectFrom('budget_windows').select('budget_id').where('id', '=', windowId);
      const { budget_id } = await window.executeTakeFirstOrThrow();
      await open.db.transaction().execute((tx) => limitWindows(tx, budget_id, amount, nowSeconds(clock)));
    }
    await billing.recallWindows(budgets.map(({ windowId }) => windowId));
  }

  async function openAll(levels: TestLevels): Promise<Process[]> {
    const all: Process[] = [];
    for (let n = 0; n < count; n += 1) {
      const billing = await openTestBilling(open, clock);
      billing.acceptLevels(levels);
      all.push(billing);
    }
    return all;
  }

  async function play({ teams, all: budgets, levels, payer }: Scene, rounds: Step[][]): Promise<void> {
    let all = await openAll(levels);
    let holds: { hold: Hold; at: number }[] = [];
    for (const round of rounds) {
      let crashed: number | null = null;
      await Promise.all(
        round.map(async (one) => {
          const here = one.at % count;
          const billing = all[here]!;
          const own = holds.filter((held) => held.at === here);
          const hold = 'which' in one && own.length > 0 ? own[one.which % own.length]!.hold : null;
          if (one.kind === 'hold') {
            const { key, user } = teams[one.team]!;
            const lasting = one.lasting && one.amount > 0 ? { durableUntilMs: clock.nowMs() + 1e9 } : {};
            const request = { requestId: requestId(), userId: user, keyId: key, keyUnlimited: true, modelId: 'm' };
            const held = await billing.hold({ ...request, amount: one.amount, ...lasting }).catch(() => null);
            if (held) holds.push({ hold: held, at: here });
          } else if (one.kind === 'move') {
            // Move the key to the other team; the next step moves it back.
            const { key } = teams[one.team]!;
            const { budgets: now } = levels.places.get(key)!;
            const other = now[0] === budgets[0] ? budgets[1]! : budgets[0]!;
            levels.places.set(key, { payerId: payer, budgets: [other, budgets[2]!] });
          } else if (one.kind === 'recall') await billing.recallWindows(budgets.map(({ windowId }) => windowId));
          else if (one.kind === 'limit') await limitAgain(billing, budgets);
          else if (one.kind === 'crash') crashed = here;
          else if (hold && one.kind === 'settle')
            await billing.settle(hold, { cost: Math.floor((hold.amount * one.percent) / 100), usage, endpoint: '/v1' });
          else if (hold && one.kind === 'release') await billing.release(hold);
          else if (hold && one.kind === 'progress')
            billing.progress(hold, Math.floor((hold.amount * one.percent) / 100), usage, '/v1');
        }),
      );
      if (crashed !== null && count === 1) {
        await all[0]!.stop();
        all = await openAll(levels);
        holds = holds.slice(0, 3);
      } else if (crashed !== null) {
        await open.db.deleteFrom('owners').where('id', '=', all[crashed]!.owners.id).execute();
        await all[(crashed + 1) % count]!.sweep();
      }
    }
    for (const billing of all) await billing.stop();
  }

  /** What durable holds reserve is neither left nor used. */
  async function lastingIn(windowId: number): Promise<number> {
    const rows = await open.db.selectFrom('billing_holds').select(['amount', 'levels']).execute();
    const inIt = rows.filter(({ levels }) => levels !== '' && (JSON.parse(levels) as number[]).includes(windowId));
    return inIt.reduce((sum, { amount }) => sum + amount, 0);
  }

  test('remaining, held and used of each budget add up to its amount, and used equals the charges', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { maxLength: 8 }), async (rounds) => {
        const given = await scene();
        await play(given, rounds);
        const last = await openTestBilling(open, clock);
        await last.sweep();
        await last.stop();
        const charged = await booksOf(open.db, given.payer);
        expect(charged).toMatchObject({ logs: charged.used, days: charged.used });
        const books = await Promise.all(given.all.map(({ windowId }) => windowOf(open.db, windowId)));
        // Everything counts for the organisation, and for one of the teams.
        expect(books[2]!.used).toBe(charged.used);
        expect(books[0]!.used + books[1]!.used).toBe(charged.used);
        for (const [i, { left, used }] of books.entries()) {
          const { amount, windowId } = given.all[i]!;
          expect(left + used + (await lastingIn(windowId))).toBe(amount);
          // A stream whose process was considered dead is charged to what is left, which others may have taken by then.
          if (count === 1) expect(left).toBeGreaterThanOrEqual(0);
        }
        const keys = given.teams.map(({ key }) => key);
        await catchUp(open.db);
        const { rows } = await sql<{ n: number }>`select coalesce(sum(quota), 0) as n from usage_logs
          where key_id in (${sql.join(keys)})`.execute(open.db);
        expect(Number(rows[0]!.n)).toBe(charged.used);
      }),
      { numRuns: engine.name === 'sqlite' ? 40 : 12 },
    );
  }, 300_000);
});

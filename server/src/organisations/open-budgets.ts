import { type OpenBudget, type Span, spans } from '../billing/levels.ts';
import { findWindow, limitOf, openWindow } from '../billing/store/windows.ts';
import type { Db } from '../platform/db/tables.ts';
import { type SpanWindow, windowAt } from './calendar.ts';
import { holdBudget } from './store/budgets.ts';
import { findOrganisation } from './store/organisations.ts';
import type { BudgetRow } from './store/tables.ts';

/** Budgets with their current windows, valid between two times. */
export interface OpenBudgets {
  open: OpenBudget[];
  from: number;
  until: number;
}

export const always = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };

export async function openBudgets(
  db: Db,
  budgets: readonly BudgetRow[],
  { timeZone, now, levelOf }: { timeZone: string; now: number; levelOf: (budget: BudgetRow) => OpenBudget['level'] },
): Promise<OpenBudgets> {
  const open: OpenBudget[] = [];
  let { from, until } = always;
  for (const budget of budgets) {
    const span = spans.find((name) => name === budget.span)!;
    const expected = windowAt(timeZone, span, now);
    const known = await findWindow(db, budget.id, expected.startsAt);
    const begun = known === null ? await begin(db, budget.id, span, now) : { windowId: known, timeZone, ...expected };
    if (begun === null) continue;
    const { startsAt, ...window } = begun;
    const { endsAt } = window;
    open.push({ level: levelOf(budget), span, amount: budget.amount, hard: budget.hard === 1, ...window });
    from = Math.max(from, startsAt);
    if (endsAt > 0) until = Math.min(until, endsAt);
  }
  return { open, from, until };
}

type Begun = SpanWindow & Pick<OpenBudget, 'windowId' | 'timeZone'>;

/**
 * Null if the budget was deleted meanwhile. The time zone is read under the lock on the budget, which a change of it
 * needs too: otherwise a second window could begin while the first one moves.
 */
const begin = (db: Db, budgetId: number, span: Span, now: number): Promise<Begun | null> =>
  db.transaction().execute(async (tx) => {
    const held = await holdBudget(tx, budgetId);
    const organisation = held && (await findOrganisation(tx, held.organisation_id));
    if (!organisation) return null;
    const { time_zone: timeZone } = organisation;
    const window = windowAt(timeZone, span, now);
    const limit = limitOf({ amount: held.amount, hard: held.hard === 1 });
    return { windowId: await openWindow(tx, { budgetId, ...window, limit }), timeZone, ...window };
  });

import { type OpenBudget, spans } from '../billing/levels.ts';
import { findWindow, limitOf, openWindow } from '../billing/store/windows.ts';
import type { Db } from '../platform/db/tables.ts';
import { windowAt } from './calendar.ts';
import { holdBudget } from './store/budgets.ts';
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
    const { startsAt, endsAt } = windowAt(timeZone, span, now);
    const windowId = (await findWindow(db, budget.id, startsAt)) ?? (await begin(db, budget.id, startsAt, endsAt));
    if (windowId === null) continue;
    open.push({
      ...{ level: levelOf(budget), span, amount: budget.amount, hard: budget.hard === 1 },
      ...{ windowId, endsAt, timeZone },
    });
    from = Math.max(from, startsAt);
    if (endsAt > 0) until = Math.min(until, endsAt);
  }
  return { open, from, until };
}

/** Null if the budget was deleted meanwhile. */
const begin = (db: Db, budgetId: number, startsAt: number, endsAt: number): Promise<number | null> =>
  db.transaction().execute(async (tx) => {
    const held = await holdBudget(tx, budgetId);
    if (!held) return null;
    const limit = limitOf({ amount: held.amount, hard: held.hard === 1 });
    return openWindow(tx, { budgetId, startsAt, endsAt, limit });
  });

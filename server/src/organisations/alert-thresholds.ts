import type { BudgetRow } from './store/tables.ts';

/** The highest alert threshold reached, in thousandths; null for none. */
export function shareReached({ alerts, amount }: Pick<BudgetRow, 'alerts' | 'amount'>, used: number): number | null {
  const shares = JSON.parse(alerts) as number[];
  // A budget of zero is fully used as soon as anything is.
  const reached = amount === 0 ? (used > 0 ? 1_000 : 0) : Math.floor((used * 1_000) / amount);
  return shares.findLast((share) => share <= reached) ?? null;
}

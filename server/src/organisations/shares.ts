import type { BudgetRow } from './store/tables.ts';

/** The largest share, in thousandths, that was set to be told of and is reached; null for none. */
export function shareReached({ alerts, amount }: Pick<BudgetRow, 'alerts' | 'amount'>, used: number): number | null {
  const shares = JSON.parse(alerts) as number[];
  // Of nothing everything is used as soon as something is.
  const reached = amount === 0 ? (used > 0 ? 1_000 : 0) : Math.floor((used * 1_000) / amount);
  return shares.findLast((share) => share <= reached) ?? null;
}

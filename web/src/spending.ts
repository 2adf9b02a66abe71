import { quotaOfUsd, usdOfQuota } from './format.ts';

const spendingWindows = ['total', 'month'] as const;
type SpendingWindow = (typeof spendingWindows)[number];

/** As the API expects it. */
export interface Spending {
  spending_limit: number;
  spending_window: SpendingWindow;
}

/** As entered in the form. */
export interface SpendingEntry {
  usd: number | string;
  window: SpendingWindow;
}

/** Enough to try an application, small enough that losing it does not hurt. */
const firstUsd = 5;

export const windowOf = (text: string | null): SpendingWindow =>
  spendingWindows.find((name) => name === text) ?? 'total';

/** Initial values of the form: the user's previous limit, or a small amount. */
export const entryOf = (before: { limit: number; window: string } | null | undefined): SpendingEntry =>
  before ? { usd: usdOfQuota(before.limit), window: windowOf(before.window) } : { usd: firstUsd, window: 'total' };

/** Null if the amount is invalid. */
export function spendingOf({ usd, window }: SpendingEntry): Spending | null {
  const limit = quotaOfUsd(Number(usd));
  const valid = usd !== '' && Number.isSafeInteger(limit) && limit >= 0 && limit <= 1e15;
  return valid ? { spending_limit: limit, spending_window: window } : null;
}

import { quotaOfUsd, usdOfQuota } from './format.ts';

const spendingWindows = ['total', 'month'] as const;
type SpendingWindow = (typeof spendingWindows)[number];

/** As the service takes it. */
export interface Spending {
  spending_limit: number;
  spending_window: SpendingWindow;
}

/** As it is entered. */
export interface SpendingEntry {
  usd: number | string;
  window: SpendingWindow;
}

/** Enough to try an application, little enough to lose. */
const firstUsd = 5;

export const windowOf = (text: string | null): SpendingWindow =>
  spendingWindows.find((name) => name === text) ?? 'total';

/** What the form begins with: what the user has set before, or a small amount. */
export const entryOf = (before: { limit: number; window: string } | null | undefined): SpendingEntry =>
  before ? { usd: usdOfQuota(before.limit), window: windowOf(before.window) } : { usd: firstUsd, window: 'total' };

/** Null for what is no amount. */
export function spendingOf({ usd, window }: SpendingEntry): Spending | null {
  const limit = quotaOfUsd(Number(usd));
  const valid = usd !== '' && Number.isSafeInteger(limit) && limit >= 0 && limit <= 1e15;
  return valid ? { spending_limit: limit, spending_window: window } : null;
}

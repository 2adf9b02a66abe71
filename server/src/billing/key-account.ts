import type { Db } from '../platform/db/tables.ts';
import { billParts, costsIn } from './cost-parts.ts';
import { accountColumns, type KeySpan, sumDaysOfKey, usageOfKey } from './store/usage-of-key.ts';

/** Entries per read: SQLite reads synchronously, so larger pages would stall open streams. */
const pageRows = 500;

/** Usage, added up. */
export interface Account extends Record<(typeof accountColumns)[number], number> {
  requests: number;
  /** In quota units, in the order of `billParts`. */
  costs: number[];
  /** Cost of entries that do not say what their parts cost. */
  unknown: number;
}

export const emptyAccount = (): Account => ({
  ...(Object.fromEntries(accountColumns.map((name) => [name, 0])) as Record<(typeof accountColumns)[number], number>),
  requests: 0,
  costs: billParts.map(() => 0),
  unknown: 0,
});

/**
 * Adds a key's usage to an account page by page, so that other queries get their turn however many entries there are.
 */
export async function addUsage(db: Db, account: Account, keyId: number, span: KeySpan): Promise<void> {
  let after: { created_at: number; id: number } | undefined;
  for (;;) {
    const rows = await usageOfKey(db, keyId, span, { limit: pageRows, after });
    for (const row of rows) {
      account.requests += 1;
      for (const name of accountColumns) account[name] += row[name];
      const charged = row.quota + row.shortfall;
      const costs = costsIn(row.cost_parts, charged);
      if (costs === null) account.unknown += charged;
      else for (const [part, cost] of costs.entries()) account.costs[part]! += cost;
    }
    if (rows.length < pageRows) return;
    after = rows.at(-1);
    await new Promise(setImmediate);
  }
}

/** The same from daily sums, for entries that are no longer in the log. */
export async function addDays(db: Db, account: Account, keyId: number, span: KeySpan): Promise<void> {
  const { requests, prompt_tokens, completion_tokens, quota } = await sumDaysOfKey(db, keyId, span);
  account.requests += requests;
  account.prompt_tokens += prompt_tokens;
  account.completion_tokens += completion_tokens;
  account.quota += quota;
  account.unknown += quota;
}

import type { UsageRow } from './port.ts';

/** Backwards from what each payer has after the last of these entries; 0 for one that cost nothing. */
export function setBalances(rows: readonly UsageRow[], balances: Map<number, number>): void {
  for (let at = rows.length - 1; at >= 0; at -= 1) {
    const row = rows[at]!;
    row.balance_after = row.quota > 0 ? (balances.get(row.user_id) ?? 0) : 0;
    if (row.quota > 0) balances.set(row.user_id, row.balance_after + row.quota);
  }
}

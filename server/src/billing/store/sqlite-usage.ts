import type { Database, SQLQueryBindings } from 'bun:sqlite';
import { insertText } from '../../platform/db/insert-many.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { type UsageRow, usageColumns } from './port.ts';
import { addToDays } from './sqlite-sums.ts';

/** A statement of many rows costs half as much a row as one of one. Few sizes, since each stays prepared. */
const sizes = [64, 32, 16, 8, 4, 2, 1];
const inserts = new Map(
  sizes.map((rows) => [rows, insertText('usage_logs', [...usageColumns, 'filed'], rows, 'sqlite')]),
);

/** So many entries of each user in a batch change few pages of the indexes; it is cheaper to file them at once then. */
const filedTogether = 4;

/** The usage log and its sums. */
export function logUsage(db: Database, rows: readonly UsageRow[]): void {
  const users = new Set<number>();
  for (const row of rows) users.add(row.user_id);
  const filed = rows.length >= users.size * filedTogether ? 1 : 0;
  for (let at = 0; at < rows.length; ) {
    const count = sizes.find((size) => size <= rows.length - at)!;
    const values: SQLQueryBindings[] = [];
    for (let i = at; i < at + count; i += 1) append(values, rows[i]!, filed);
    prepared(db, inserts.get(count)!).run(...values);
    at += count;
  }
  addToDays(db, rows);
}

/** Named one by one, in the order of the columns: this runs for every request. */
function append(values: SQLQueryBindings[], row: UsageRow, filed: number): void {
  values.push(
    row.request_id,
    row.user_id,
    row.key_id,
    row.model_id,
    row.endpoint,
    row.provider,
    row.channel_id,
    row.prompt_tokens,
    row.completion_tokens,
    row.cache_read_tokens,
    row.cache_write_tokens,
    row.reasoning_tokens,
    row.units,
    row.quota,
    row.shortfall,
    row.balance_after,
    row.stream,
    row.status,
    row.duration_ms,
    row.first_token_ms,
    row.created_at,
    filed,
  );
}

import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite';
import { insertText } from '../../platform/db/insert-many.ts';
import type { UsageRow } from './port.ts';
import { UsageSums } from './sqlite-sums.ts';

const columns = [
  'request_id',
  'user_id',
  'key_id',
  'model_id',
  'endpoint',
  'provider',
  'channel_id',
  'prompt_tokens',
  'completion_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'units',
  'quota',
  'shortfall',
  'balance_after',
  'stream',
  'status',
  'duration_ms',
  'first_token_ms',
  'created_at',
] as const satisfies (keyof UsageRow)[];

/** A statement of many rows costs half as much a row as one of one. Few sizes, since each stays prepared. */
const sizes = [64, 32, 16, 8, 4, 2, 1];
const prepared = new WeakMap<Database, Map<number, Statement>>();

/** The usage log and its sums. */
export function logUsage(db: Database, rows: readonly UsageRow[]): void {
  const sums = new UsageSums();
  for (const row of rows) sums.add(row);
  for (let at = 0; at < rows.length; ) {
    const count = sizes.find((size) => size <= rows.length - at)!;
    const values: SQLQueryBindings[] = [];
    for (let i = at; i < at + count; i += 1) append(values, rows[i]!);
    insertOf(db, count).run(...values);
    at += count;
  }
  sums.write(db);
}

function insertOf(db: Database, rows: number): Statement {
  let known = prepared.get(db);
  if (!known) {
    known = new Map();
    prepared.set(db, known);
  }
  let statement = known.get(rows);
  if (!statement) {
    statement = db.prepare(insertText('usage_logs', columns, rows, 'sqlite'));
    known.set(rows, statement);
  }
  return statement;
}

/** Named one by one, in the order of the columns: this runs for every request. */
function append(values: SQLQueryBindings[], row: UsageRow): void {
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
  );
}

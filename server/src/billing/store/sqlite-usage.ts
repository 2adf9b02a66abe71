import type { Database, SQLQueryBindings } from 'bun:sqlite';
import { insertText } from '../../platform/db/insert-many.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { type UsageRow, usageColumns } from './port.ts';
import { addToDays } from './sqlite-sums.ts';

/** Inserting many rows per statement halves the cost per row. Only a few sizes, since each stays prepared. */
const sizes = [64, 32, 16, 8, 4, 2, 1];
const insertsOf = (columns: readonly string[]) =>
  new Map(sizes.map((rows) => [rows, insertText('usage_logs', [...columns, 'filed'], rows, 'sqlite')]));

/** Rarely set, and binding values takes time: a row without any of them gets the defaults 0 or null. */
const rare: readonly string[] = [
  'cache_write_1h_tokens',
  'audio_in_tokens',
  'image_in_tokens',
  'audio_out_tokens',
  'web_searches',
  'estimated',
  'parent_request_id',
  'own_key',
  'saved_quota',
] satisfies (keyof UsageRow)[];
const usual = usageColumns.filter((column) => !rare.includes(column));
const inserts = { usual: insertsOf(usual), full: insertsOf([...usual, ...rare]) };

const isUsual = (row: UsageRow): boolean =>
  row.estimated === 0 &&
  row.parent_request_id === null &&
  row.own_key === 0 &&
  row.saved_quota === 0 &&
  row.cache_write_1h_tokens === 0 &&
  row.audio_in_tokens === 0 &&
  row.image_in_tokens === 0 &&
  row.audio_out_tokens === 0 &&
  row.web_searches === 0;

/** With this many entries per user, a batch changes few pages of the indexes: then it is cheaper to file it at once. */
const filedTogether = 4;

/** Writes the usage log and its sums; returns the id of the last entry. */
export function logUsage(db: Database, rows: readonly UsageRow[], balanceAfter: (row: UsageRow) => number): number {
  const users = new Set<number>();
  for (const row of rows) users.add(row.user_id);
  const filed = rows.length >= users.size * filedTogether ? 1 : 0;
  const kind = rows.every(isUsual) ? 'usual' : 'full';
  let last = 0;
  for (let at = 0; at < rows.length; ) {
    const count = sizes.find((size) => size <= rows.length - at)!;
    const values: SQLQueryBindings[] = [];
    for (let i = at; i < at + count; i += 1) {
      appendUsual(values, rows[i]!, balanceAfter(rows[i]!));
      if (kind === 'full') appendRare(values, rows[i]!);
      values.push(filed);
    }
    last = Number(prepared(db, inserts[kind].get(count)!).run(...values).lastInsertRowid);
    at += count;
  }
  addToDays(db, rows);
  return last;
}

/** Spelled out in the order of the columns, because this runs for every request. */
function appendUsual(values: SQLQueryBindings[], row: UsageRow, balanceAfter: number): void {
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
    row.cost_parts,
    row.shortfall,
    balanceAfter,
    row.stream,
    row.status,
    row.duration_ms,
    row.first_token_ms,
    row.created_at,
  );
}

function appendRare(values: SQLQueryBindings[], row: UsageRow): void {
  values.push(
    row.cache_write_1h_tokens,
    row.audio_in_tokens,
    row.image_in_tokens,
    row.audio_out_tokens,
    row.web_searches,
    row.estimated,
    row.parent_request_id,
    row.own_key,
    row.saved_quota,
  );
}

import type { Database, SQLQueryBindings } from 'bun:sqlite';
import { prepared } from '../../platform/db/prepared.ts';
import { type UsageRow, usageColumns } from './port.ts';
import { addToDays } from './sqlite-sums.ts';

/** Inserting many rows per statement halves the cost per row. Only a few sizes, since each stays prepared. */
const sizes = [64, 32, 16, 8, 4, 2, 1];

/** Binding a value costs as much as storing it: a row with all of these, as most rows have, takes them from the text. */
const mostly = {
  cache_write_tokens: 0,
  cache_write_1h_tokens: 0,
  audio_in_tokens: 0,
  image_in_tokens: 0,
  audio_out_tokens: 0,
  web_searches: 0,
  estimated: 0,
  units: 0,
  shortfall: 0,
  status: 'ok',
  parent_request_id: null,
  own_key: 0,
  saved_quota: 0,
} satisfies Partial<UsageRow>;
const rare = Object.keys(mostly) as (keyof typeof mostly)[];
const bound = usageColumns.filter((column) => !(column in mostly));
const literal = (value: number | string | null): string => (typeof value === 'string' ? `'${value}'` : String(value));

/** Entries are indexed later: see `filing.ts`. */
const insertsOf = (values: string): Map<number, string> => {
  const into = `insert into usage_logs (${[...bound, ...rare].join(', ')}, filed) values`;
  const marks = bound.map(() => '?').join(', ');
  return new Map(sizes.map((rows) => [rows, `${into} ${Array(rows).fill(`(${marks}, ${values}, 0)`).join(', ')}`]));
};
const inserts = {
  usual: insertsOf(rare.map((column) => literal(mostly[column])).join(', ')),
  full: insertsOf(rare.map(() => '?').join(', ')),
};

/** Spelled out like the values below, because these run for every request. */
const isUsual = (row: UsageRow): boolean =>
  row.cache_write_tokens === 0 &&
  row.cache_write_1h_tokens === 0 &&
  row.audio_in_tokens === 0 &&
  row.image_in_tokens === 0 &&
  row.audio_out_tokens === 0 &&
  row.web_searches === 0 &&
  row.estimated === 0 &&
  row.units === 0 &&
  row.shortfall === 0 &&
  row.status === 'ok' &&
  row.parent_request_id === null &&
  row.own_key === 0 &&
  row.saved_quota === 0;

/** Writes the usage log and its sums; returns the id of the last entry. */
export function logUsage(db: Database, rows: readonly UsageRow[]): number {
  const kind = rows.every(isUsual) ? 'usual' : 'full';
  let last = 0;
  for (let at = 0; at < rows.length; ) {
    const count = sizes.find((size) => size <= rows.length - at)!;
    const values: SQLQueryBindings[] = [];
    for (let i = at; i < at + count; i += 1) {
      appendBound(values, rows[i]!);
      if (kind === 'full') appendRare(values, rows[i]!);
    }
    last = Number(prepared(db, inserts[kind].get(count)!).run(...values).lastInsertRowid);
    at += count;
  }
  addToDays(db, rows);
  return last;
}

/** In the order of the columns. */
function appendBound(values: SQLQueryBindings[], row: UsageRow): void {
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
    row.reasoning_tokens,
    row.quota,
    row.cost_parts,
    row.balance_after,
    row.stream,
    row.duration_ms,
    row.first_token_ms,
    row.created_at,
  );
}

const appendRare = (values: SQLQueryBindings[], row: UsageRow): void => {
  for (const column of rare) values.push(row[column]);
};

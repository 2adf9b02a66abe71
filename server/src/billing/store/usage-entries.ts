import { type UsageRow, usageColumns } from './port.ts';

/**
 * Entries of the log as text, from the process that charges them to the one that files them, which may be of another
 * version: each column by its name, unless all entries have its default. A default must never change, since another
 * version reads what it stands for: these are not the values that SQLite's inserts have in their text, which may.
 */
const defaults: Partial<UsageRow> = {
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  cache_write_1h_tokens: 0,
  reasoning_tokens: 0,
  audio_in_tokens: 0,
  image_in_tokens: 0,
  audio_out_tokens: 0,
  web_searches: 0,
  estimated: 0,
  units: 0,
  shortfall: 0,
  stream: 0,
  status: 'ok',
  first_token_ms: 0,
  parent_request_id: null,
  own_key: 0,
  saved_quota: 0,
};
/** Only known once the entries have their place in the log. */
const later: Partial<UsageRow> = { balance_after: 0 };
const packed = usageColumns.filter((name) => !(name in later));

type Columns = { [C in keyof UsageRow]?: UsageRow[C][] };

export function packEntries(rows: readonly UsageRow[]): string {
  const columns: Record<string, unknown[]> = {};
  for (const name of packed) {
    const usual = defaults[name];
    if (usual === undefined || rows.some((row) => row[name] !== usual)) columns[name] = rows.map((row) => row[name]);
  }
  return JSON.stringify(columns);
}

export function unpackEntries(text: string): UsageRow[] {
  const columns = JSON.parse(text) as Columns;
  return columns.request_id!.map((_, at) => {
    const row: Record<string, unknown> = { ...defaults, ...later };
    for (const name of packed) {
      const values = columns[name];
      if (values) row[name] = values[at];
    }
    return row as unknown as UsageRow;
  });
}

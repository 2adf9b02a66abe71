import { applicationsOfKeys } from '../identity/store/application-keys.ts';
import { type Cell, csvLine } from '../lib/csv.ts';
import type { Db } from '../platform/db/tables.ts';
import { billParts } from './cost-parts.ts';
import { listUsage, type UsageLog } from './store/usage.ts';
import type { LogFilter } from './store/usage-sums.ts';
import { usageLogSchema, viewUsage } from './views.ts';

/** Rows per read: few at first for a quick start, and never so many that synchronous SQLite stalls open streams. */
const firstRows = 25;
const pageRows = 500;
/** Spreadsheets take about a million lines; a larger export needs a narrower range. */
const mostRows = 200_000;

type Row = ReturnType<typeof viewUsage>;
const { parts: _, ...plain } = usageLogSchema.shape;
const columns = Object.keys(plain) as (keyof Row)[];
const header = [...columns, ...billParts.map((part) => `${part}_cost`)];

const cellsOf = (row: Row): Cell[] => [
  ...columns.map((name) => row[name] as Cell),
  ...billParts.map((part) => row.parts.find((one) => one.part === part)?.cost),
];

export const keysIn = (rows: UsageLog[]): number[] => [...new Set(rows.map(({ key_id }) => key_id))].filter(Boolean);

interface Range {
  limit: number;
  before: UsageLog | undefined;
}

/** The usage log as CSV. */
export const usageCsv = (db: Db, filter: LogFilter): AsyncGenerator<string> =>
  csvOf(db, (range) => listUsage(db, filter, range));

/** Entries as CSV, newest first, read page by page as the client consumes them. */
export async function* csvOf(db: Db, read: (range: Range) => Promise<UsageLog[]>): AsyncGenerator<string> {
  yield csvLine(header);
  let before: UsageLog | undefined;
  for (let sent = 0, limit = firstRows; sent < mostRows; limit = Math.min(2 * limit, pageRows)) {
    const rows = await read({ limit, before });
    const applications = await applicationsOfKeys(db, keysIn(rows));
    yield rows.map((row) => csvLine(cellsOf(viewUsage(row, applications)))).join('');
    if (rows.length < limit) return;
    sent += rows.length;
    before = rows.at(-1);
    await new Promise(setImmediate);
  }
}

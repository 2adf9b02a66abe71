import type { Db } from '../platform/db/tables.ts';
import { listUsage, type UsageFilter, type UsageLog } from './store/usage.ts';
import { usageLogSchema, viewUsage } from './views.ts';

/** Rows per read: small enough that a synchronous database lets streams through in between. */
const pageRows = 500;
/** A spreadsheet takes about a million lines; beyond this narrow the range. */
const mostRows = 200_000;

const columns = Object.keys(usageLogSchema.shape) as (keyof ReturnType<typeof viewUsage>)[];

/** A cell that begins like a formula would run in a spreadsheet, so it gets a quote in front. */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = String(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The usage log as CSV, read page by page as the client takes it. */
export function usageCsv(db: Db, filter: UsageFilter): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let before: UsageLog | undefined;
  let sent = 0;
  return new ReadableStream<Uint8Array>({
    start: (out) => out.enqueue(encoder.encode(`${columns.join(',')}\r\n`)),
    pull: async (out) => {
      const rows = await listUsage(db, filter, { limit: pageRows, before });
      const lines = rows.map(viewUsage).map((row) => `${columns.map((name) => csvCell(row[name])).join(',')}\r\n`);
      if (lines.length > 0) out.enqueue(encoder.encode(lines.join('')));
      before = rows.at(-1);
      sent += rows.length;
      if (rows.length < pageRows || sent >= mostRows) out.close();
      else await Bun.sleep(0);
    },
  });
}

import type { Db } from '../platform/db/tables.ts';
import { offsetOf, type Page } from '../platform/http/paging.ts';
import { type AuditFilter, auditBounds, countAudit, readAudit, type Span } from './store/audit.ts';
import type { AuditRow } from './store/tables.ts';

export interface AuditView {
  id: number;
  event_type: string;
  application_id: number | null;
  user_id: number | null;
  ip_address: string;
  user_agent: string;
  metadata: Record<string, unknown>;
  created_at: number;
}

/** Rows looked at by one statement: SQLite answers on the thread that also serves streams. */
const spanRows = 20_000;
const csvBatch = 500;
/** Spec §8. */
export const mostCsvRows = 10_000;

export const auditView = (row: AuditRow): AuditView => ({ ...row, metadata: JSON.parse(row.metadata) });

/** The log in bounded steps, newest first, with room for others in between. */
async function* spans(db: Db): AsyncGenerator<Span> {
  const bounds = await auditBounds(db);
  if (!bounds) return;
  for (let upTo = bounds.last; upTo >= bounds.first; upTo -= spanRows) {
    yield { above: Math.max(upTo - spanRows, bounds.first - 1), upTo };
    await new Promise(setImmediate);
  }
}

export async function auditPage(
  db: Db,
  filter: AuditFilter,
  page: Page,
): Promise<{ logs: AuditView[]; total: number }> {
  const logs: AuditRow[] = [];
  let toSkip = offsetOf(page);
  let total = 0;
  for await (const span of spans(db)) {
    const count = await countAudit(db, filter, span);
    total += count;
    const missing = page.page_size - logs.length;
    if (missing > 0 && count > toSkip) logs.push(...(await readAudit(db, filter, span, missing, toSkip)));
    toSkip = Math.max(0, toSkip - count);
  }
  return { logs: logs.map(auditView), total };
}

/** The newest entries as CSV text, a batch at a time, at most `mostCsvRows`. */
export async function* auditCsv(db: Db, filter: AuditFilter): AsyncGenerator<string> {
  yield csvLine(csvColumns);
  let left = mostCsvRows;
  for await (const span of spans(db)) {
    let { upTo } = span;
    while (left > 0) {
      const rows = await readAudit(db, filter, { above: span.above, upTo }, Math.min(csvBatch, left), 0);
      if (rows.length === 0) break;
      yield rows.map((row) => csvLine(csvColumns.map((column) => row[column]))).join('');
      left -= rows.length;
      upTo = rows[rows.length - 1]!.id - 1;
    }
    if (left === 0) return;
  }
}

const csvColumns = [
  'id',
  'event_type',
  'application_id',
  'user_id',
  'ip_address',
  'user_agent',
  'metadata',
  'created_at',
] as const;

export const csvLine = (cells: readonly (string | number | null)[]): string => `${cells.map(csvCell).join(',')}\r\n`;

/**
 * RFC 4180 quoting. Spreadsheets run cells that begin with `= + - @`, or with the white space they skip before one of
 * these, as formulas: an apostrophe makes them text.
 */
export function csvCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return `${value}`;
  const safe = /^[=+\-@\t\r\n＝＋－＠]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

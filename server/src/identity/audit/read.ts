import type { Db } from '../../platform/db/tables.ts';
import { offsetOf, type Page } from '../../platform/http/paging.ts';
import { type AuditFilter, auditBounds, countAudit, readAudit, type Span } from './read-store.ts';
import type { AuditRow } from './tables.ts';

/** Rows looked at by one statement: SQLite answers on the thread that also serves streams. */
const spanRows = 20_000;
const batchRows = 500;

/** The log in bounded steps, newest first, with room for others in between. */
export async function* spans(db: Db): AsyncGenerator<Span> {
  const bounds = await auditBounds(db);
  if (!bounds) return;
  for (let upTo = bounds.last; upTo >= bounds.first; upTo -= spanRows) {
    yield { above: Math.max(upTo - spanRows, bounds.first - 1), upTo };
    await new Promise(setImmediate);
  }
}

export async function pageAudit(db: Db, filter: AuditFilter, page: Page): Promise<{ rows: AuditRow[]; total: number }> {
  const rows: AuditRow[] = [];
  let toSkip = offsetOf(page);
  let total = 0;
  for await (const span of spans(db)) {
    const count = await countAudit(db, filter, span);
    total += count;
    const missing = page.page_size - rows.length;
    if (missing > 0 && count > toSkip) rows.push(...(await readAudit(db, filter, span, missing, toSkip)));
    toSkip = Math.max(0, toSkip - count);
  }
  return { rows, total };
}

/** The newest entries, a batch at a time, at most `most`. */
export async function* newestAudit(db: Db, filter: AuditFilter, most: number): AsyncGenerator<AuditRow[]> {
  let left = most;
  for await (const span of spans(db)) {
    let { upTo } = span;
    while (left > 0) {
      const rows = await readAudit(db, filter, { above: span.above, upTo }, Math.min(batchRows, left), 0);
      if (rows.length === 0) break;
      yield rows;
      left -= rows.length;
      upTo = rows[rows.length - 1]!.id - 1;
    }
    if (left === 0) return;
  }
}

import { countedPast } from '../../platform/db/pages.ts';
import type { Db } from '../../platform/db/tables.ts';
import { offsetOf, type Page } from '../../platform/http/paging.ts';
import {
  type AuditFilter,
  type AuditPlace,
  countAudit,
  lookThrough,
  readAudit,
  targetCondition,
} from './read-store.ts';
import type { AuditRow } from './tables.ts';

/** Rows looked at by one statement: SQLite answers on the thread that also serves streams. */
const stepRows = 2_000;
const batchRows = 500;

/** A page; behind the place of a cursor its own number does not count. `next` is the place of the page after it. */
export async function pageAudit(
  db: Db,
  filter: AuditFilter,
  page: Page,
  cursor?: number[],
): Promise<{ rows: AuditRow[]; total: number; next: number[] | null }> {
  const before = cursor && { created_at: cursor[0]!, id: cursor[1]! };
  const { rows, total } = await findPage(db, filter, page, before);
  const last = rows.length < page.page_size ? undefined : rows.at(-1);
  return { rows, total, next: last ? [last.created_at, last.id] : null };
}

async function findPage(
  db: Db,
  filter: AuditFilter,
  page: Page,
  before: AuditPlace | undefined,
): Promise<{ rows: AuditRow[]; total: number }> {
  const offset = before ? 0 : offsetOf(page);
  const most = offset + page.page_size + countedPast;
  if (!filter.targetText) {
    const rows = await readAudit(db, filter, { limit: page.page_size, offset, before });
    return { rows, total: await countAudit(db, filter, most) };
  }
  const found: AuditRow[] = [];
  let total = 0;
  for await (const rows of withTarget(db, filter, filter.targetText, before)) {
    found.push(...rows.slice(Math.max(0, offset - total), Math.max(0, offset - total + page.page_size - found.length)));
    total += rows.length;
    if (total >= most) break;
  }
  return { rows: found, total };
}

/** Entries by part of a target's name, looked for in bounded steps, with room for others in between. */
async function* withTarget(db: Db, filter: AuditFilter, text: string, before?: AuditPlace): AsyncGenerator<AuditRow[]> {
  const hasTarget = await targetCondition(db, text);
  let place = before;
  for (;;) {
    const step = await lookThrough(db, filter, hasTarget, stepRows, place);
    if (!step) return;
    if (step.rows.length > 0) yield step.rows;
    place = step.last;
    await new Promise(setImmediate);
  }
}

/** The newest entries, a batch at a time, at most `most`. */
export async function* newestAudit(db: Db, filter: AuditFilter, most: number): AsyncGenerator<AuditRow[]> {
  let left = most;
  for await (const rows of filter.targetText ? withTarget(db, filter, filter.targetText) : inBatches(db, filter)) {
    yield rows.slice(0, left);
    left -= rows.length;
    if (left <= 0) return;
  }
}

async function* inBatches(db: Db, filter: AuditFilter): AsyncGenerator<AuditRow[]> {
  let before: AuditPlace | undefined;
  for (;;) {
    const rows = await readAudit(db, filter, { limit: batchRows, before });
    if (rows.length > 0) yield rows;
    if (rows.length < batchRows) return;
    before = rows.at(-1);
    await new Promise(setImmediate);
  }
}

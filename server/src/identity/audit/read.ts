import { countedPast, type Range } from '../../platform/db/list-page.ts';
import type { Db } from '../../platform/db/tables.ts';
import { type Page, rangeOf } from '../../platform/http/paging.ts';
import {
  type AuditFilter,
  type AuditPlace,
  type AuditSearch,
  countAudit,
  lookThrough,
  readAudit,
  searchOf,
} from './read-store.ts';
import type { AuditRow } from './tables.ts';

/** Rows per scanning statement, few at first: SQLite runs on the thread that also serves streams. */
const stepRows = 2_000;
const firstStepRows = 250;
/** Rows per export read, few at first. */
const batchRows = 500;
const firstBatchRows = 25;
/** A page that is not full by then returns where to continue; scanning further could read the whole log. */
const mostLooked = 20_000;
/** Counted beyond a page when scanning. */
const comparedPast = 100;

interface Found {
  rows: AuditRow[];
  total: number;
  /** Cursor of the next page. */
  next: number[] | null;
}

/** A page; with a cursor its number is ignored. */
export async function pageAudit(db: Db, filter: AuditFilter, page: Page, cursor?: number[]): Promise<Found> {
  const before = cursor && { created_at: cursor[0]!, id: cursor[1]! };
  const search = await searchOf(db, filter);
  const { limit, offset } = rangeOf(before ? { ...page, page: 1 } : page);
  if (search.compared) return comparedPage(db, search, { limit, offset, before });
  const rows = await readAudit(db, search, { limit, offset, before });
  const total = await countAudit(db, search, offset + limit + countedPast);
  return { rows, total, next: rows.length < limit ? null : placeOf(rows.at(-1)!) };
}

const placeOf = ({ created_at, id }: AuditPlace): number[] => [created_at, id];

async function comparedPage(
  db: Db,
  search: AuditSearch,
  { limit, offset, before }: Range & { before: AuditPlace | undefined },
): Promise<Found> {
  const found: AuditRow[] = [];
  let looked = 0;
  for await (const step of steps(db, search, before)) {
    found.push(...step.rows);
    looked += step.looked;
    const rows = found.slice(offset, offset + limit);
    if (found.length >= offset + limit + comparedPast)
      return { rows, total: found.length, next: placeOf(rows.at(-1)!) };
    if (looked >= mostLooked)
      return { rows, total: found.length, next: placeOf(rows.length < limit ? step.last : rows.at(-1)!) };
  }
  const rows = found.slice(offset, offset + limit);
  return { rows, total: found.length, next: rows.length < limit ? null : placeOf(rows.at(-1)!) };
}

/** Scans entries, yielding in between. */
async function* steps(db: Db, search: AuditSearch, before?: AuditPlace) {
  let place = before;
  for (let rows = firstStepRows; ; rows = Math.min(2 * rows, stepRows)) {
    const step = await lookThrough(db, search, rows, place);
    if (!step) return;
    yield step;
    if (step.looked < rows) return;
    place = step.last;
    await new Promise(setImmediate);
  }
}

/** The newest entries in batches, at most `most`. */
export async function* newestAudit(db: Db, filter: AuditFilter, most: number): AsyncGenerator<AuditRow[]> {
  const search = await searchOf(db, filter);
  let left = most;
  for await (const rows of search.compared ? matching(db, search) : inBatches(db, search)) {
    yield rows.slice(0, left);
    left -= rows.length;
    if (left <= 0) return;
  }
}

async function* matching(db: Db, search: AuditSearch): AsyncGenerator<AuditRow[]> {
  for await (const { rows } of steps(db, search)) if (rows.length > 0) yield rows;
}

async function* inBatches(db: Db, search: AuditSearch): AsyncGenerator<AuditRow[]> {
  let before: AuditPlace | undefined;
  for (let limit = firstBatchRows; ; limit = Math.min(2 * limit, batchRows)) {
    const rows = await readAudit(db, search, { limit, before });
    if (rows.length > 0) yield rows;
    if (rows.length < limit) return;
    before = rows.at(-1);
    await new Promise(setImmediate);
  }
}

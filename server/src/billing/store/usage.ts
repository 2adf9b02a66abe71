import { type Expression, type SqlBool, sql } from 'kysely';
import { countUpTo } from '../../platform/db/list-page.ts';
import { inBatches, sweepBatches } from '../../platform/db/pages.ts';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import { catchUp, fileUsage, isFiled } from './filing.ts';
import { isJournaled } from './journal.ts';
import { dropPastPartitions } from './month-partitions.ts';
import { dayOf, secondsPerDay, type UsageRow, usageColumns } from './port.ts';
import { fileSpans } from './roll-up-spans.ts';
import { activeFilters, is, isWithoutIndex, type LogFilter, sumRequests, timeRangeOf, within } from './usage-sums.ts';
import './tables.ts';

export type UsageLog = UsageRow & { id: number };
/** A position in the log, newest first: right after this entry. */
export type UsagePlace = Pick<UsageLog, 'id' | 'created_at'>;

/** Conditions on log entries, using the index of the most selective filter, or the one by time. */
function conditionsOf(db: Db, filter: LogFilter): Expression<SqlBool>[] {
  const { parentRequestId } = filter;
  const names = activeFilters(filter);
  // Nothing is more selective than the few calls of one turn.
  const narrowest = parentRequestId === undefined ? names[0] : undefined;
  const others = narrowest ? names.slice(1) : names;
  const also = engineOf(db) === 'sqlite' ? isWithoutIndex : is;
  return [
    ...(parentRequestId === undefined ? [] : [sql<SqlBool>`parent_request_id = ${parentRequestId}`]),
    ...(narrowest ? [is(filter, narrowest)] : []),
    ...others.map((name) => also(filter, name)),
    ...within('created_at', filter.from, filter.to),
    ...isFiled(db),
  ];
}

export interface UsageRange {
  limit: number;
  offset?: number;
  /** Continues after an entry already seen, instead of an offset. */
  before?: UsagePlace | undefined;
}

/** Newest first. */
export async function listUsage(db: Db, filter: LogFilter, range: UsageRange): Promise<UsageLog[]> {
  const { limit, offset = 0, before } = range;
  await fileUsage(db);
  const upTo = before && Math.min(before.created_at, filter.to ?? before.created_at);
  const looked = await lookedThrough(db, { ...filter, to: upTo ?? filter.to }, offset + limit);
  if (!looked) return [];
  const conditions = conditionsOf(db, looked);
  if (before) conditions.push(sql<SqlBool>`(created_at < ${before.created_at} or id < ${before.id})`);
  return db
    .selectFrom('usage_logs')
    .where((e) => e.and(conditions))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .select(['id', ...usageColumns])
    .limit(limit)
    .offset(offset)
    .execute();
}

/**
 * There are indexes by user, by key and by model, but none by two of them, because each index costs every request. On
 * PostgreSQL only the monthly partitions with results are read.
 */
async function lookedThrough(db: Db, filter: LogFilter, needed: number): Promise<LogFilter | null> {
  if (filter.parentRequestId !== undefined) return filter;
  if (activeFilters(filter).length < 2 && engineOf(db) === 'sqlite') return filter;
  const place = await timeRangeOf(db, filter, needed);
  return place && { ...filter, ...place };
}

/** Longer than any request may run. */
const longestRequestSeconds = 7 * secondsPerDay;

/** Whether the request of this entry is already in the log, with any status. */
export async function isLogged(db: Db, { request_id, user_id, created_at }: UsageRow): Promise<boolean> {
  if (engineOf(db) === 'sqlite') await fileUsage(db);
  // Before the log: meanwhile it may be filed.
  else if (await isJournaled(db, request_id)) return true;
  const conditions = conditionsOf(db, { userId: user_id, from: created_at - longestRequestSeconds });
  const found = db.selectFrom('usage_logs').where((e) => e.and([...conditions, e('request_id', '=', request_id)]));
  return (await found.select('id').executeTakeFirst()) !== undefined;
}

/**
 * Deletes entries older than `before`; their daily sums stay, so that the books add up. On PostgreSQL whole months are
 * dropped; returns how many entries were deleted one by one.
 */
export async function sweepUsage(db: Db, before: number): Promise<number> {
  // On SQLite deleted entries could no longer be added to totals and spans.
  await fileUsage(db);
  await fileSpans(db);
  await db
    .updateTable('usage_kept')
    .set({ first_day: dayOf(before) })
    .where('first_day', '<', dayOf(before))
    .execute();
  if (engineOf(db) === 'postgres') await dropPastPartitions(db, before);
  return inBatches((most) => deleteOldUsage(db, before, most), sweepBatches);
}

/**
 * Deletes at most `limit` of the oldest entries before `before`. Ids of SQLite grow with time, so only the first rows
 * are read.
 */
async function deleteOldUsage(db: Db, before: number, limit: number): Promise<number> {
  const { numAffectedRows } =
    engineOf(db) === 'sqlite'
      ? await sql`delete from usage_logs where id in (select id from
          (select id, created_at from usage_logs order by id limit ${limit}) as oldest where created_at < ${before})`.execute(
          db,
        )
      : await sql`delete from usage_logs where created_at < ${before} and (created_at, id) in
          (select created_at, id from usage_logs where created_at < ${before} order by created_at, id limit ${limit})`.execute(
          db,
        );
  return Number(numAffectedRows);
}

/**
 * Whole days are counted from sums, only the two days cut by `from` and `to` from entries. Stops at `most`: a result of
 * `most` or more is a lower bound.
 */
export async function countUsage(db: Db, filter: LogFilter, most = 1_000): Promise<number> {
  const { from, to } = filter;
  await catchUp(db);
  if (filter.parentRequestId !== undefined) return countRows(db, filter, most);
  const firstWhole = from === undefined ? undefined : dayOf(from + secondsPerDay - 1);
  const lastWhole = to === undefined ? undefined : dayOf(to + 1) - 1;
  if (firstWhole !== undefined && lastWhole !== undefined && firstWhole > lastWhole) return countRows(db, filter, most);
  let total = await sumRequests(db, filter, firstWhole, lastWhole, most, oldestDay);
  if (from !== undefined && firstWhole! * secondsPerDay > from)
    total += await countRows(db, { ...filter, to: firstWhole! * secondsPerDay - 1 }, most);
  if (to !== undefined && (lastWhole! + 1) * secondsPerDay <= to)
    total += await countRows(db, { ...filter, from: (lastWhole! + 1) * secondsPerDay }, most);
  return total;
}

/** The first day with log entries, since only entries can be listed. */
export async function oldestDay(db: Db): Promise<number> {
  return (await db.selectFrom('usage_kept').select('first_day').executeTakeFirstOrThrow()).first_day;
}

async function countRows(db: Db, filter: LogFilter, most: number): Promise<number> {
  await fileUsage(db);
  const looked = await lookedThrough(db, filter, most);
  if (!looked) return 0;
  const conditions = conditionsOf(db, looked);
  const entries = db.selectFrom('usage_logs').where((e) => e.and(conditions));
  return countUpTo(db, entries.select('id').orderBy('created_at', 'desc'), most);
}

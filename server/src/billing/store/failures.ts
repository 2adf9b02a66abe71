import { type Expression, type Insertable, type Selectable, type SqlBool, sql } from 'kysely';
import { countedPast, countUpTo, pageOfMany, type Range } from '../../platform/db/list-page.ts';
import { inBatches, sweepBatches } from '../../platform/db/pages.ts';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import { conditionsOf, type Searched, type SearchRange, searchNewest } from './search-newest.ts';
import type { FailureTable } from './tables.ts';
import { activeFilters, is, isWithoutIndex, type LogFilter, type UsageFilter, within } from './usage-sums.ts';

export type FailureRow = Selectable<FailureTable>;
export type NewFailure = Insertable<FailureTable>;

export async function insertFailures(db: Db, rows: NewFailure[]): Promise<void> {
  await db.insertInto('failed_requests').values(rows).execute();
}

function filtered(db: Db, filter: UsageFilter) {
  // A key belongs to one user and has its own index.
  const beside = filter.keyId !== undefined && engineOf(db) === 'sqlite' ? isWithoutIndex : is;
  const conditions = [
    ...activeFilters(filter).map((name) => (name === 'userId' ? beside : is)(filter, name)),
    ...within('created_at', filter.from, filter.to),
  ];
  return db
    .selectFrom('failed_requests')
    .$if(conditions.length > 0, (query) => query.where((e) => e.and(conditions)))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc');
}

/** Newest first. */
export const listFailures = (
  db: Db,
  filter: UsageFilter,
  range: Range,
): Promise<{ rows: FailureRow[]; total: number }> => pageOfMany(db, filtered(db, filter).selectAll(), range);

/** Newest first, with the filters of the usage log and by response status. */
export function searchFailures(
  db: Db,
  { status, ...filter }: LogFilter & { status?: number | undefined },
  range: SearchRange,
): Promise<Searched<FailureRow>> {
  const { found, compared } = conditionsOf(db, filter, ['parentRequestId', 'keyId', 'userId', 'modelId']);
  const told = status === undefined ? [] : [sql<SqlBool>`status = ${status}`];
  const inOrder = (conditions: Expression<SqlBool>[]) =>
    db
      .selectFrom('failed_requests')
      .where((e) => e.and(conditions))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc');
  return searchNewest({ found, compared: [...compared, ...told] }, range, {
    placeAfter: (conditions, rows) =>
      inOrder(conditions).select(['created_at', 'id']).limit(1).offset(rows).executeTakeFirst(),
    read: (conditions, limit) => inOrder(conditions).selectAll().limit(limit).execute(),
  });
}

/** A request fails once; more rows would be a client reusing ids. */
const mostOfOne = 20;

/** Newest first. */
export const failuresOf = (db: Db, requestId: string): Promise<FailureRow[]> =>
  db
    .selectFrom('failed_requests')
    .selectAll()
    .where('request_id', '=', requestId)
    .orderBy('id', 'desc')
    .limit(mostOfOne)
    .execute();

/** How many calls of a turn, a run or a batch failed, and the newest of them; of one user, or of any. */
export async function failedCalls(db: Db, parentRequestId: string, userId: number | undefined) {
  const calls = db
    .selectFrom('failed_requests')
    .where('parent_request_id', '=', parentRequestId)
    .$if(userId !== undefined, (theirs) => theirs.where(sql<SqlBool>`+user_id = ${userId}`))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc');
  const newest = await calls.select(['user_id', 'created_at']).limit(1).executeTakeFirst();
  if (!newest) return null;
  return { newest, count: await countUpTo(db, calls.select('id'), countedPast) };
}

/** Deletes failures older than `before`. */
export const sweepFailures = (db: Db, before: number): Promise<number> =>
  inBatches(async (most) => {
    const { numDeletedRows } = await db
      .deleteFrom('failed_requests')
      .where('id', 'in', (e) =>
        e
          .selectFrom('failed_requests')
          .select('id')
          .where('created_at', '<', before)
          .orderBy('created_at')
          .orderBy('id')
          .limit(most),
      )
      .executeTakeFirst();
    return Number(numDeletedRows);
  }, sweepBatches);

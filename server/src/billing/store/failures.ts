import type { Insertable, Selectable } from 'kysely';
import { countedPast, countUpTo, inBatches, sweepBatches } from '../../platform/db/pages.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { FailureTable } from './tables.ts';

export type FailureRow = Selectable<FailureTable>;
export type NewFailure = Insertable<FailureTable>;

export interface FailureFilter {
  /** Absent: of all users. */
  userId?: number | undefined;
  from?: number | undefined;
  to?: number | undefined;
}

export async function insertFailures(db: Db, rows: NewFailure[]): Promise<void> {
  await db.insertInto('failed_requests').values(rows).execute();
}

function filtered(db: Db, { userId, from, to }: FailureFilter) {
  let query = db.selectFrom('failed_requests');
  if (userId !== undefined) query = query.where('user_id', '=', userId);
  if (from !== undefined) query = query.where('created_at', '>=', from);
  if (to !== undefined) query = query.where('created_at', '<=', to);
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc');
}

/** Newest first. */
export async function listFailures(
  db: Db,
  filter: FailureFilter,
  page: { offset: number; limit: number },
): Promise<{ rows: FailureRow[]; total: number }> {
  const rows = await filtered(db, filter).selectAll().limit(page.limit).offset(page.offset).execute();
  const total = await countUpTo(db, filtered(db, filter).select('id'), page.offset + page.limit + countedPast);
  return { rows, total };
}

/** Deletes what is from before `before`. */
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

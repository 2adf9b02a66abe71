import type { Generated, Selectable } from 'kysely';
import { deleteRows, deletingPast } from '../../platform/db/delete-rows.ts';
import type { Db } from '../../platform/db/tables.ts';

interface UserNoticesTable {
  id: Generated<number>;
  user_id: number;
  kind: string;
  /** JSON. */
  about: string;
  created_at: number;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    user_notices: UserNoticesTable;
  }
}

export type NoticeRow = Selectable<UserNoticesTable>;

/** More are not read at once; the rest follow as these are dismissed. */
export const mostShown = 20;

export async function insertNotice(db: Db, notice: Omit<NoticeRow, 'id'>): Promise<void> {
  await db.insertInto('user_notices').values(notice).execute();
}

/** Newest first. */
export const listNotices = (db: Db, userId: number, most: number): Promise<NoticeRow[]> =>
  db.selectFrom('user_notices').selectAll().where('user_id', '=', userId).orderBy('id', 'desc').limit(most).execute();

/** Counted up to the number shown. */
export async function countNotices(db: Db, userId: number): Promise<number> {
  const rows = await db
    .selectFrom('user_notices')
    .select('id')
    .where('user_id', '=', userId)
    .limit(mostShown)
    .execute();
  return rows.length;
}

export const deleteNotice = (db: Db, userId: number, id: number): Promise<boolean> =>
  deleteRows(db, 'user_notices', { id, user_id: userId });

export async function deleteNoticesOf(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('user_notices').where('user_id', '=', userId).execute();
}

export const deleteOldNotices = deletingPast('user_notices', 'id', 'created_at');

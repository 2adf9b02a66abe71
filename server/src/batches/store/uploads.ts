import type { Db } from '../../platform/db/tables.ts';
import { updateRows } from '../../platform/db/update-rows.ts';
import type { PartRow, UploadRow } from './tables.ts';
import './tables.ts';

export async function insertUpload(db: Db, upload: UploadRow): Promise<void> {
  await db.insertInto('uploads').values(upload).execute();
}

/** An expired upload is gone, whether or not the sweep has run. */
export async function findUpload(db: Db, userId: number, id: string, now: number): Promise<UploadRow | null> {
  const row = await db
    .selectFrom('uploads')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row ?? null;
}

/** Only one of several concurrent callers ends it; null for the others. */
export async function endUpload(
  db: Db,
  id: string,
  end: Pick<UploadRow, 'status'> & Partial<Pick<UploadRow, 'file_id' | 'made_of'>>,
): Promise<UploadRow | null> {
  const row = await db
    .updateTable('uploads')
    .set(end)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

export async function insertPart(db: Db, part: PartRow): Promise<void> {
  await db.insertInto('upload_parts').values(part).execute();
}

/** The part is complete. False if it was deleted meanwhile. */
export const completePart = (db: Db, id: string, bytes: number): Promise<boolean> =>
  updateRows(db, 'upload_parts', { id }, { bytes, ready: 1 });

/** Including parts in progress. */
export const partsOf = (db: Db, uploadId: string): Promise<PartRow[]> =>
  db.selectFrom('upload_parts').selectAll().where('upload_id', '=', uploadId).execute();

export async function dropPart(db: Db, id: string): Promise<void> {
  await db.deleteFrom('upload_parts').where('id', '=', id).execute();
}

export const findExpiredUploads = (db: Db, now: number, limit: number): Promise<Pick<UploadRow, 'id'>[]> =>
  db.selectFrom('uploads').select('id').where('expires_at', '<=', now).limit(limit).execute();

export const uploadsOf = (db: Db, userId: number, limit: number): Promise<Pick<UploadRow, 'id'>[]> =>
  db.selectFrom('uploads').select('id').where('user_id', '=', userId).limit(limit).execute();

export async function dropUpload(db: Db, id: string): Promise<void> {
  await db.deleteFrom('uploads').where('id', '=', id).execute();
}

import { type NotNull, sql } from 'kysely';
import { hasRow } from '../../platform/db/find-row.ts';
import type { Db } from '../../platform/db/tables.ts';
import { beyond, formerPlace, type Place } from './place.ts';
import type { FileRow } from './tables.ts';
import './tables.ts';

export type NewFile = Omit<FileRow, 'ref'>;

export async function insertFile(db: Db, file: NewFile): Promise<void> {
  await db.insertInto('files').values(file).execute();
}

/** Total size of a user's files, including uploads in progress. */
export async function bytesOfUser(db: Db, userId: number): Promise<number> {
  const { files, uploads } = await db
    .selectNoFrom((e) => [
      e.selectFrom('files').select(sumOfBytes).where('user_id', '=', userId).as('files'),
      e
        .selectFrom('uploads')
        .select(sumOfBytes)
        .where('user_id', '=', userId)
        .where('status', '=', 'pending')
        .as('uploads'),
    ])
    .executeTakeFirstOrThrow();
  return Number(files ?? 0) + Number(uploads ?? 0);
}

const sumOfBytes = sql<number | null>`sum(bytes)`.as('bytes');

/** The file is complete: from here on it is visible. Null if it was deleted meanwhile. */
export async function completeFile(
  db: Db,
  id: string,
  whole: Pick<FileRow, 'purpose' | 'filename' | 'bytes' | 'expires_at'>,
): Promise<FileRow | null> {
  const row = await db
    .updateTable('files')
    .set({ ...whole, ready: 1 })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** An expired file is gone, whether or not the sweep has run. */
export async function findFile(db: Db, userId: number, id: string, now: number): Promise<FileRow | null> {
  const row = await shown(db, userId, now).selectAll().where('id', '=', id).executeTakeFirst();
  return row ?? null;
}

/** The existing ones, newest first. */
export const findFiles = (db: Db, userId: number, ids: readonly string[], now: number): Promise<FileRow[]> =>
  shown(db, userId, now).selectAll().where('id', 'in', ids).orderBy('ref', 'desc').execute();

const shown = (db: Db, userId: number, now: number) =>
  db
    .selectFrom('files')
    .where('user_id', '=', userId)
    .where('ready', '=', 1)
    .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', now)]));

/** The list position of a file, also of a deleted one; null for another user's. */
export async function placeOfFile(db: Db, userId: number, id: string, nowMs: number): Promise<Place | null> {
  const row = await db.selectFrom('files').select(['ref', 'user_id']).where('id', '=', id).executeTakeFirst();
  if (!row) return formerPlace(id, nowMs);
  return row.user_id === userId ? row : null;
}

export interface FilePage {
  after?: Place | undefined;
  limit: number;
  order: 'asc' | 'desc';
  purpose?: string | undefined;
}

export function pageFiles(db: Db, userId: number, now: number, page: FilePage): Promise<FileRow[]> {
  const { after, limit, order, purpose } = page;
  return shown(db, userId, now)
    .selectAll()
    .$if(after !== undefined, (query) => query.where((e) => beyond(e, after!, order === 'asc' ? '>' : '<')))
    .$if(purpose !== undefined, (query) => query.where('purpose', '=', purpose!))
    .orderBy('ref', order)
    .limit(limit)
    .execute();
}

const inUse = (db: Db) =>
  db
    .selectFrom('batches')
    .select('input_file_id')
    .where('ended_at', 'is', null)
    .where('input_file_id', 'is not', null)
    .$narrowType<{ input_file_id: NotNull }>();

/** False while a batch reads it. */
export async function deleteFile(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('files')
    .where('id', '=', id)
    .where('id', 'not in', inUse(db))
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export const isThere = (db: Db, id: string): Promise<boolean> => hasRow(db, 'files', { id });

/** For incomplete or orphaned files. */
export async function dropFile(db: Db, id: string): Promise<void> {
  await db.deleteFrom('files').where('id', '=', id).execute();
}

/** Expired files that are not being read. */
export function findExpired(db: Db, now: number, limit: number): Promise<Pick<FileRow, 'id' | 'blob'>[]> {
  return db
    .selectFrom('files')
    .select(['id', 'blob'])
    .where('expires_at', '<=', now)
    .where('id', 'not in', inUse(db))
    .limit(limit)
    .execute();
}

export function filesOf(db: Db, userId: number, limit: number): Promise<Pick<FileRow, 'id' | 'blob'>[]> {
  return db.selectFrom('files').select(['id', 'blob']).where('user_id', '=', userId).limit(limit).execute();
}

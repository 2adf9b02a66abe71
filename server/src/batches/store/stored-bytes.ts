import { sql } from 'kysely';
import type { Db } from '../../platform/db/tables.ts';
import { sizeOf } from '../../platform/storage-quota/sizes.ts';
import './tables.ts';

/**
 * What a user stores here, in bytes: files including batch results, and batches that are unfinished or have no files.
 */
export async function storedBytesOf(db: Db, userId: number) {
  const where = sql`user_id = ${userId}`;
  const files = await sizeOf(db, { table: 'files', where, by: ['ref'], counted: 'bytes' });
  const pending = sql`user_id = ${userId} and status = 'pending'`;
  const uploads = await sizeOf(db, { table: 'uploads', where: pending, by: ['id'], counted: 'bytes' });
  const running = await db
    .selectFrom('batches')
    .select('ref')
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .execute();
  let batches = await sizeOf(db, { table: 'batches', where, by: ['wire', 'ref'], counted: 'bytes' });
  for (const { ref } of running)
    batches += await sizeOf(db, {
      ...{ table: 'batch_requests', where: sql`batch_ref = ${ref}`, by: ['position'], texts: ['outcome'] },
    });
  return { files: files + uploads, batches };
}

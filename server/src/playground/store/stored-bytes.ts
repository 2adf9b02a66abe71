import { sql } from 'kysely';
import type { Db } from '../../platform/db/tables.ts';
import { sizeOf } from '../../platform/storage-quota/sizes.ts';
import './tables.ts';

/** What a user stores here, in bytes. */
export async function storedBytesOf(db: Db, userId: number) {
  const where = sql`user_id = ${userId}`;
  const chats = await sizeOf(db, { table: 'playground_chats', where, by: ['updated_at', 'id'], counted: 'bytes' });
  const presets = await sizeOf(db, { table: 'playground_presets', where, by: ['id'], texts: ['prompt'] });
  return { chats: chats + presets };
}

import { sql } from 'kysely';
import type { Db } from '../../../platform/db/tables.ts';
import { sizeOf } from '../../../platform/storage-quota/sizes.ts';
import './tables.ts';

/** What a user stores here, in bytes, without events, which expire within the hour. */
export async function storedBytesOf(db: Db, userId: number) {
  const where = sql`user_id = ${userId}`;
  const texts = ['response', 'contents', 'request'];
  const responses = await sizeOf(db, { table: 'kept_responses', where, by: ['id'], texts });
  const items = await sizeOf(db, { table: 'kept_items', where, by: ['key_id', 'item_id', 'ref'], texts: ['body'] });
  const conversations = await sizeOf(db, { table: 'kept_conversations', where, by: ['id'], texts: ['metadata'] });
  return { responses: responses + items + conversations };
}

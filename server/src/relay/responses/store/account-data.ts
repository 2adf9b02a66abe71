import { sql } from 'kysely';
import { type PersonalData, pages } from '../../../platform/db/pages.ts';
import type { Db } from '../../../platform/db/tables.ts';
import { readUsual } from '../usual.ts';
import type { ItemRow } from './tables.ts';

export const exportOf = (db: Db, userId: number): PersonalData => ({
  responses: pages<{ id: string }>(async (last, limit) => {
    const rows = await db
      .selectFrom('kept_responses')
      .select(['id', 'key_id', 'status', 'model', 'background', 'previous_id', 'conversation_id', 'response'])
      .select(['contents', 'request', 'created_at', 'touched_at', 'ended_at'])
      .where('user_id', '=', userId)
      .where('id', '>', last?.id ?? '')
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map((row) => ({ ...row, response: JSON.stringify(readUsual(row.response)) }));
  }),
  items: pages<ItemRow>((last, limit) =>
    db
      .selectFrom('kept_items')
      .selectAll()
      .where('user_id', '=', userId)
      .$if(last !== null, (query) =>
        // In the order of the index by which an owner's items are found.
        query.where(sql<boolean>`(key_id, item_id, ref) > (${last!.key_id}, ${last!.item_id}, ${last!.ref})`),
      )
      .orderBy('key_id')
      .orderBy('item_id')
      .orderBy('ref')
      .limit(limit)
      .execute(),
  ),
  conversations: pages<{ id: string }>((last, limit) =>
    db
      .selectFrom('kept_conversations')
      .select(['id', 'key_id', 'metadata', 'created_at', 'touched_at'])
      .where('user_id', '=', userId)
      .where('id', '>', last?.id ?? '')
      .orderBy('id')
      .limit(limit)
      .execute(),
  ),
});

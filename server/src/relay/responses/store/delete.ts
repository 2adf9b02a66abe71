import type { Db } from '../../../platform/db/tables.ts';
import { lockItems } from './items.ts';
import { type Scope, within } from './tables.ts';

/** Responses and conversations share items: one that the other kind also has stays there. */
const holders = {
  kept_responses: { own: 'response_id', position: 'position', other: 'conversation_id' },
  kept_conversations: { own: 'conversation_id', position: 'place', other: 'response_id' },
} as const;

type Kept = keyof typeof holders;
/** Both tables have the columns used here, which the union of their queries cannot express. */
const asTable = (kept: Kept) => kept as 'kept_responses';

async function dropItems(tx: Db, kept: Kept, ids: string[]): Promise<void> {
  const { own, position, other } = holders[kept];
  await lockItems(tx, own, ids);
  await tx
    .updateTable('kept_items')
    .set({ [own]: null, [position]: null })
    .where(own, 'in', ids)
    .where(other, 'is not', null)
    .execute();
  await tx.deleteFrom('kept_items').where(own, 'in', ids).execute();
  if (kept === 'kept_responses') await tx.deleteFrom('kept_events').where('response_id', 'in', ids).execute();
}

const deletingOne = (kept: Kept) => (db: Db, scope: Scope, id: string) =>
  db.transaction().execute(async (tx) => {
    const own = tx.deleteFrom(asTable(kept)).where('id', '=', id).where(within(scope));
    const { numDeletedRows } = await own.executeTakeFirst();
    if (numDeletedRows === 0n) return false;
    await dropItems(tx, kept, [id]);
    return true;
  });

/** Deletes a bounded number; returns how many. */
const deletingSome = (kept: Kept, column: 'user_id' | 'touched_at') => (db: Db, value: number, most: number) =>
  db.transaction().execute(async (tx) => {
    const some = tx.selectFrom(asTable(kept)).select('id');
    const found = some.where(column, column === 'user_id' ? '=' : '<=', value).limit(most);
    const ids = (await found.execute()).map(({ id }) => id);
    if (ids.length === 0) return 0;
    await tx.deleteFrom(kept).where('id', 'in', ids).execute();
    await dropItems(tx, kept, ids);
    return ids.length;
  });

/** False if there is none. */
export const deleteResponse = deletingOne('kept_responses');
export const deleteConversation = deletingOne('kept_conversations');

export const deleteResponsesOf = deletingSome('kept_responses', 'user_id');
export const deleteConversationsOf = deletingSome('kept_conversations', 'user_id');

/** Expired ones, of all users. */
export const deleteOldResponses = deletingSome('kept_responses', 'touched_at');
export const deleteOldConversations = deletingSome('kept_conversations', 'touched_at');

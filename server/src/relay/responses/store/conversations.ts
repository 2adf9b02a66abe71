import type { Db } from '../../../platform/db/tables.ts';
import { insertItems } from './items.ts';
import { type ConversationRow, type NewItem, readRemoved, type Scope, within } from './tables.ts';

export async function insertConversation(db: Db, row: ConversationRow, items: NewItem[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await tx.insertInto('kept_conversations').values(row).execute();
    await insertItems(tx, items);
  });
}

export async function findConversation(db: Db, scope: Scope, id: string): Promise<ConversationRow | null> {
  const own = db.selectFrom('kept_conversations').selectAll().where('id', '=', id).where(within(scope));
  return (await own.executeTakeFirst()) ?? null;
}

export async function setMetadata(db: Db, scope: Scope, id: string, metadata: string, now: number) {
  const row = await db
    .updateTable('kept_conversations')
    .set({ metadata, touched_at: now })
    .where('id', '=', id)
    .where(within(scope))
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

export interface Growth {
  items: number;
  bytes: number;
}

interface Grown {
  scope: Scope;
  id: string;
  now: number;
}

/**
 * Reserves positions at the end; concurrent callers wait for the row, so that items of two answers never interleave.
 * With `most`, null also if it would exceed that.
 */
export async function growConversation(
  tx: Db,
  { scope, id, now }: Grown,
  by: Growth,
  most?: Growth,
): Promise<number | null> {
  const row = await tx
    .updateTable('kept_conversations')
    .set((e) => ({
      items: e('items', '+', by.items),
      bytes: e('bytes', '+', by.bytes),
      next_place: e('next_place', '+', by.items),
      touched_at: now,
    }))
    .where('id', '=', id)
    .where(within(scope))
    .$if(most !== undefined, (query) =>
      query.where('items', '<=', most!.items - by.items).where('bytes', '<=', most!.bytes - by.bytes),
    )
    .returning('next_place')
    .executeTakeFirst();
  return row ? row.next_place - by.items : null;
}

/** Adds items without a response; false if there is no room, or no such conversation. */
export function addItems(
  db: Db,
  grown: Grown,
  { rows, bytes, most }: { rows: NewItem[]; bytes: number; most: Growth },
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const place = await growConversation(tx, grown, { items: rows.length, bytes }, most);
    if (place === null) return false;
    await insertItems(
      tx,
      rows.map((row, index) => ({ ...row, conversation_id: grown.id, place: place + index })),
    );
    return true;
  });
}

/** A response's items become its conversation's, in the same order. */
export async function placeItems(tx: Db, responseId: string, conversationId: string, place: number): Promise<void> {
  await tx
    .updateTable('kept_items')
    .set((e) => ({ conversation_id: conversationId, place: e('position', '+', place) }))
    .where('response_id', '=', responseId)
    .execute();
  await tx.updateTable('kept_responses').set({ place }).where('id', '=', responseId).execute();
}

export async function findConversationItem(db: Db, conversationId: string, itemId: string, scope: Scope) {
  const row = await db
    .selectFrom('kept_items')
    .select(['ref', 'body'])
    .where('user_id', '=', scope.userId)
    .where('key_id', '=', scope.keyId)
    .where('item_id', '=', itemId)
    .where('conversation_id', '=', conversationId)
    .orderBy('ref', 'desc')
    .executeTakeFirst();
  return row ?? null;
}

/** A client deletes at most one page of a list before it asks for the next. */
const mostRemoved = 100;

/** An item that a response also has stays there. False if it is in the conversation no more. */
export async function removeItem(
  db: Db,
  conversationId: string,
  { ref, itemId, bytes }: { ref: number; itemId: string; bytes: number },
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    // Locks the conversation before its items, in the same order as its deletion.
    const held = await tx
      .updateTable('kept_conversations')
      .set((e) => ({ next_place: e.ref('next_place') }))
      .where('id', '=', conversationId)
      .returning('removed')
      .executeTakeFirst();
    if (!held) return false;
    const item = await tx
      .selectFrom('kept_items')
      .select('place')
      .where('ref', '=', ref)
      .where('conversation_id', '=', conversationId)
      .executeTakeFirst();
    if (!item) return false;
    const removed = [...readRemoved(held.removed).filter(([id]) => id !== itemId), [itemId, item.place]];
    await tx.updateTable('kept_items').set({ conversation_id: null, place: null }).where('ref', '=', ref).execute();
    await tx.deleteFrom('kept_items').where('ref', '=', ref).where('response_id', 'is', null).execute();
    await tx
      .updateTable('kept_conversations')
      .set((e) => ({
        ...{ items: e('items', '-', 1), bytes: e('bytes', '-', bytes) },
        removed: JSON.stringify(removed.slice(-mostRemoved)),
      }))
      .where('id', '=', conversationId)
      .execute();
    return true;
  });
}

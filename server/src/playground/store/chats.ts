import { sql } from 'kysely';
import { deleteRows } from '../../platform/db/delete-rows.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { ChatRow } from './tables.ts';

/** A chat without its content. */
export type ChatHead = Omit<ChatRow, 'content' | 'user_id'>;
const head = ['id', 'chat_id', 'name', 'models', 'bytes', 'version', 'created_at', 'updated_at'] as const;

/** Where a page of the list ended. */
export interface Place {
  updatedAt: number;
  id: number;
}

/** Most recently used first. */
export function listChats(
  db: Db,
  { userId, after, limit }: { userId: number; after?: Place | undefined; limit: number },
): Promise<ChatHead[]> {
  return db
    .selectFrom('playground_chats')
    .select(head)
    .where('user_id', '=', userId)
    .$if(after !== undefined, (chats) =>
      chats.where(sql<boolean>`(updated_at, id) < (${after!.updatedAt}, ${after!.id})`),
    )
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** By row id; those that no longer exist are missing. */
export async function contentsOf(db: Db, userId: number, ids: number[]): Promise<Map<number, string>> {
  const rows = await db
    .selectFrom('playground_chats')
    .select(['id', 'content'])
    .where('user_id', '=', userId)
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(({ id, content }) => [id, content]));
}

const own = (db: Db, userId: number, chatId: string) =>
  db.selectFrom('playground_chats').where('user_id', '=', userId).where('chat_id', '=', chatId);

export async function findChat(db: Db, userId: number, chatId: string): Promise<ChatRow | null> {
  return (await own(db, userId, chatId).selectAll().executeTakeFirst()) ?? null;
}

export async function versionOf(db: Db, userId: number, chatId: string): Promise<number | null> {
  return (await own(db, userId, chatId).select('version').executeTakeFirst())?.version ?? null;
}

/** 0 if it does not exist. */
export async function sizeOfChat(db: Db, userId: number, chatId: string): Promise<number> {
  return (await own(db, userId, chatId).select('bytes').executeTakeFirst())?.bytes ?? 0;
}

/** Number and total size of a user's other chats. */
export async function othersThan(db: Db, userId: number, chatId: string): Promise<{ count: number; bytes: number }> {
  const found = await db
    .selectFrom('playground_chats')
    .select((e) => [e.fn.countAll<number>().as('count'), e.fn.sum<number | null>('bytes').as('bytes')])
    .where('user_id', '=', userId)
    .where('chat_id', '<>', chatId)
    .executeTakeFirstOrThrow();
  return { count: Number(found.count), bytes: Number(found.bytes ?? 0) };
}

export const insertChat = (db: Db, chat: Omit<ChatRow, 'id'>): Promise<ChatHead> =>
  db.insertInto('playground_chats').values(chat).returning(head).executeTakeFirstOrThrow();

type Said = Pick<ChatRow, 'models' | 'bytes' | 'content' | 'updated_at'>;

/** Runs in the transaction that checked the version; null if the chat was deleted since. */
export async function writeChat(db: Db, userId: number, chatId: string, said: Said): Promise<ChatHead | null> {
  const written = db
    .updateTable('playground_chats')
    .set((e) => ({ ...said, version: e('version', '+', 1) }))
    .where('user_id', '=', userId)
    .where('chat_id', '=', chatId)
    .returning(head);
  return (await written.executeTakeFirst()) ?? null;
}

export async function nameChat(db: Db, userId: number, chatId: string, name: string): Promise<ChatHead | null> {
  const named = db
    .updateTable('playground_chats')
    .set({ name })
    .where('user_id', '=', userId)
    .where('chat_id', '=', chatId)
    .returning(head);
  return (await named.executeTakeFirst()) ?? null;
}

export const deleteChat = (db: Db, userId: number, chatId: string): Promise<boolean> =>
  deleteRows(db, 'playground_chats', { user_id: userId, chat_id: chatId });

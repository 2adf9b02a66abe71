import { sql } from 'kysely';
import { pageOfMany, type Range } from '../../platform/db/list-page.ts';
import type { Db } from '../../platform/db/tables.ts';
import { bytesOfRow } from '../../platform/storage-quota/sizes.ts';
import type { ChatMessage, StoredTurnMessage } from '../messages.ts';
import { yieldToEventLoop } from '../work-slices.ts';
import './tables.ts';

export interface StoredMessage extends StoredTurnMessage {
  model: string | null;
  createdAt: number;
}

/** The most messages of a session that a turn reads; older ones are covered by the summary and recall. */
export const historyWindow = 1000;
/** Rows per statement: SQLite allows 32,766 parameters. */
const batch = 500;

/** The most bytes: reading and parsing a thousand messages of a megabyte each would take a second in every turn. */
const windowBytes = 2 * 1024 * 1024;

/** The end of the conversation, oldest first. */
export async function recentMessages(db: Db, sessionRef: number, limit = historyWindow): Promise<StoredMessage[]> {
  const live = db.selectFrom('ms_messages').where('session_ref', '=', sessionRef).where('superseded', '=', 0);
  const sizes = await live
    .select(['id', sql<number>`octet_length(message)`.as('bytes')])
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  const first = firstWithin(sizes, windowBytes);
  if (first === undefined) return [];
  const rows = await live.selectAll().where('id', '>=', first).orderBy('id').execute();
  return rows.map(toMessage);
}

/** Id of the oldest row that still fits, given rows from newest to oldest; the newest always fits. */
function firstWithin(newestFirst: { id: number; bytes: number }[], most: number): number | undefined {
  let room = most - Number(newestFirst[0]?.bytes ?? 0);
  let first = newestFirst[0]?.id;
  for (const { id, bytes } of newestFirst.slice(1)) {
    room -= Number(bytes);
    if (room < 0) break;
    first = id;
  }
  return first;
}

export async function pageOfMessages(db: Db, sessionRef: number, range: Range) {
  const live = db
    .selectFrom('ms_messages')
    .selectAll()
    .where('session_ref', '=', sessionRef)
    .where('superseded', '=', 0);
  const { rows, total } = await pageOfMany(db, live.orderBy('id'), range);
  return { messages: rows.map(toMessage), total };
}

export interface NewMessage {
  message: ChatMessage;
  tokens: number;
  model?: string;
}

/** The bytes the messages take once they are stored. */
export const bytesOfMessages = (added: Pick<NewMessage, 'message'>[]): number =>
  added.reduce((bytes, { message }) => bytes + bytesOfRow(JSON.stringify(message)), 0);

/**
 * Appends to the conversation, after hiding the messages that the client rewound past (ids above `keepUpTo`). Null, and
 * nothing is written, if the session was deleted meanwhile. Joins the caller's transaction, if there is one.
 */
export async function appendMessages(
  db: Db,
  sessionRef: number,
  added: NewMessage[],
  now: number,
  keepUpTo?: number,
): Promise<StoredMessage[] | null> {
  const append = async (tx: Db): Promise<StoredMessage[] | null> => {
    const hidden = keepUpTo === undefined ? [] : await hideAfter(tx, sessionRef, keepUpTo, now);
    const tokens = sum(added) - sum(hidden);
    // Update this row first: it locks the session until the commit, so a concurrent deletion waits or has already
    // happened.
    const session = await tx
      .updateTable('ms_sessions')
      .set((eb) => ({
        total_messages: eb('total_messages', '+', added.length - hidden.length),
        total_tokens: eb('total_tokens', '+', tokens),
        last_accessed: now,
      }))
      .where('id', '=', sessionRef)
      .returning('id')
      .executeTakeFirst();
    if (!session) return null;
    const stored: StoredMessage[] = [];
    for (let i = 0; i < added.length; i += batch) {
      if (i > 0) await yieldToEventLoop();
      stored.push(...(await insert(tx, sessionRef, added.slice(i, i + batch), now)));
    }
    return stored;
  };
  return db.isTransaction ? append(db) : db.transaction().execute(append);
}

async function insert(db: Db, sessionRef: number, added: NewMessage[], now: number): Promise<StoredMessage[]> {
  const rows = added.map(({ message, tokens, model = null }) => ({
    session_ref: sessionRef,
    message: JSON.stringify(message),
    tokens,
    model,
    created_at: now,
  }));
  const ids = await db.insertInto('ms_messages').values(rows).returning('id').execute();
  // Ids are assigned in the order of the values, but not guaranteed to be returned in it.
  const ordered = ids.map(({ id }) => id).sort((a, b) => a - b);
  return added.map(({ message, tokens, model = null }, i) => ({
    id: ordered[i]!,
    message,
    tokens,
    model,
    createdAt: now,
  }));
}

/** Also deletes summaries and index entries that cover hidden messages; otherwise they would still be remembered. */
async function hideAfter(db: Db, sessionRef: number, id: number, now: number): Promise<{ tokens: number }[]> {
  // Lock the session first, in the same order as its deletion.
  await db.updateTable('ms_sessions').set({ last_accessed: now }).where('id', '=', sessionRef).execute();
  await db.deleteFrom('ms_summaries').where('session_ref', '=', sessionRef).where('up_to', '>', id).execute();
  const hidden = await db
    .updateTable('ms_messages')
    .set({ superseded: 1 })
    .where('session_ref', '=', sessionRef)
    .where('superseded', '=', 0)
    .where('id', '>', id)
    .returning('tokens')
    .execute();
  const found = db.deleteFrom('ms_documents').where('session_ref', '=', sessionRef);
  await found.where('message_id', '>', id).execute();
  return hidden;
}

const sum = (messages: { tokens: number }[]): number => messages.reduce((total, { tokens }) => total + tokens, 0);

const toMessage = (row: {
  id: number;
  message: string;
  tokens: number;
  model: string | null;
  created_at: number;
}): StoredMessage => ({
  id: row.id,
  message: JSON.parse(row.message) as ChatMessage,
  tokens: row.tokens,
  model: row.model,
  createdAt: row.created_at,
});

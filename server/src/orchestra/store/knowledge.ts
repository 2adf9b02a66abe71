import { randomString } from '../../lib/ids.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Fact } from '../knowledge-facts.ts';
import './tables.ts';

export interface Entry extends Fact {
  /** Row id, never shown. */
  ref: number;
  id: string;
  projectId: string | null;
  sourceSession: string | null;
  /** Of what was learned from a conversation: the words it comes from and the message they stand in. */
  quote: string | null;
  sourceMessage: number | null;
  createdAt: number;
}

/** Where an entry was learned. */
export type Learned = Pick<Entry, 'sourceSession' | 'quote' | 'sourceMessage'>;

export async function addEntry(
  db: Db,
  entry: Fact & { userId: number; projectId?: string | null } & Partial<Learned>,
  now: number,
): Promise<Entry> {
  const row = await db
    .insertInto('ms_knowledge')
    .values({
      public_id: `kn-${randomString(20)}`,
      user_id: entry.userId,
      project_id: entry.projectId ?? null,
      category: entry.category,
      title: entry.title,
      content: entry.content,
      keywords: JSON.stringify(entry.keywords),
      source_session: entry.sourceSession ?? null,
      quote: entry.quote ?? null,
      source_message: entry.sourceMessage ?? null,
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toEntry(row);
}

export async function findEntry(db: Db, userId: number, id: string): Promise<Entry | null> {
  const row = await db
    .selectFrom('ms_knowledge')
    .selectAll()
    .where('user_id', '=', userId)
    .where('public_id', '=', id)
    .executeTakeFirst();
  return row ? toEntry(row) : null;
}

export async function changeEntry(
  db: Db,
  userId: number,
  id: string,
  change: Partial<Fact> & Partial<Learned>,
  now: number,
): Promise<Entry | null> {
  const { category, title, content, keywords, quote, sourceSession, sourceMessage } = change;
  // What is undefined stays as it is.
  const values = { category, title, content, quote, source_session: sourceSession, source_message: sourceMessage };
  const row = await db
    .updateTable('ms_knowledge')
    .set({ ...values, ...(keywords && { keywords: JSON.stringify(keywords) }), updated_at: now })
    .where('user_id', '=', userId)
    .where('public_id', '=', id)
    .returningAll()
    .executeTakeFirst();
  return row ? toEntry(row) : null;
}

export async function deleteEntry(db: Db, userId: number, id: string): Promise<boolean> {
  const gone = await db
    .deleteFrom('ms_knowledge')
    .where('user_id', '=', userId)
    .where('public_id', '=', id)
    .returning('id')
    .execute();
  return gone.length > 0;
}

/** By their ids, which are given in order: as they are indexed, so that no more are read than are wanted. */
export async function newestEntries(
  db: Db,
  { userId, category, limit }: { userId: number; category?: string; limit: number },
): Promise<Entry[]> {
  let query = db.selectFrom('ms_knowledge').selectAll().where('user_id', '=', userId);
  if (category !== undefined) query = query.where('category', '=', category);
  const rows = await query.orderBy('id', 'desc').limit(limit).execute();
  return rows.map(toEntry);
}

export async function entriesByRef(db: Db, userId: number, refs: number[]): Promise<Entry[]> {
  if (refs.length === 0) return [];
  const rows = await db
    .selectFrom('ms_knowledge')
    .selectAll()
    .where('user_id', '=', userId)
    .where('id', 'in', refs)
    .execute();
  return rows.map(toEntry);
}

const toEntry = (row: {
  id: number;
  public_id: string;
  project_id: string | null;
  category: string;
  title: string;
  content: string;
  keywords: string;
  source_session: string | null;
  quote: string | null;
  source_message: number | null;
  created_at: number;
}): Entry => ({
  ref: row.id,
  id: row.public_id,
  projectId: row.project_id,
  category: row.category,
  title: row.title,
  content: row.content,
  keywords: JSON.parse(row.keywords) as string[],
  sourceSession: row.source_session,
  quote: row.quote,
  sourceMessage: row.source_message,
  createdAt: row.created_at,
});

/** What of an entry is searched. */
export const entryText = (entry: Fact): string => [entry.title, entry.content, entry.keywords.join(' ')].join('\n');

import { sha256Hex } from '../../lib/hashing.ts';
import { randomString } from '../../lib/ids.ts';
import type { Db } from '../../platform/db/tables.ts';
import { bytesOfRow } from '../../platform/storage-quota/sizes.ts';
import type { Fact } from '../knowledge-facts.ts';
import './tables.ts';

export interface Entry extends Fact {
  /** Row id, never shown. */
  ref: number;
  id: string;
  projectId: string | null;
  sourceSession: string | null;
  /** For entries learned from a conversation: the quote and the message that contains it. */
  quote: string | null;
  sourceMessage: number | null;
  /** For imported entries: the file. */
  source: FileSource | null;
  createdAt: number;
}

/** The file of a passage, and the passage's position in it. */
export interface FileSource {
  id: string;
  name: string;
  page: number | null;
  heading: string | null;
  position: number;
}

/** Where an entry was learned. */
export type Learned = Pick<Entry, 'sourceSession' | 'quote' | 'sourceMessage'>;

/** The file passage that an entry consists of. */
export interface FromFile {
  sourceRef: number;
  page: number | null;
  heading: string | null;
  position: number;
}

export type NewEntry = Fact & { userId: number; projectId?: string | null; fromFile?: FromFile } & Partial<Learned>;

/** The bytes an entry takes. */
export const bytesOfEntry = ({ title, content, keywords, quote }: Partial<Fact & Learned>): number =>
  bytesOfRow(title ?? '', content ?? '', quote ?? '', ...(keywords ?? []));

export async function addEntry(db: Db, entry: NewEntry, now: number): Promise<Entry> {
  const { fromFile, projectId = null } = entry;
  const row = await db
    .insertInto('ms_knowledge')
    .values({
      public_id: `kn-${randomString(20)}`,
      user_id: entry.userId,
      project_id: projectId,
      category: entry.category,
      title: entry.title,
      content: entry.content,
      keywords: JSON.stringify(entry.keywords),
      source_session: entry.sourceSession ?? null,
      quote: entry.quote ?? null,
      source_message: entry.sourceMessage ?? null,
      source_ref: fromFile?.sourceRef ?? null,
      source_position: fromFile?.position ?? null,
      source_page: fromFile?.page ?? null,
      source_heading: fromFile?.heading ?? null,
      fingerprint: fingerprintOf(entry, projectId),
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toEntry({ ...row, source_id: null, source_name: null });
}

/** Equal for two entries with the same words in the same project. */
export const fingerprintOf = ({ category, title, content, keywords }: Fact, projectId: string | null): string =>
  sha256Hex(JSON.stringify([projectId, category, title, content, keywords]));

/** The user's existing entry with exactly this content. */
export async function identicalEntry(
  db: Db,
  userId: number,
  fact: Fact,
  projectId: string | null,
): Promise<Entry | null> {
  const fingerprint = fingerprintOf(fact, projectId);
  const rows = await selectEntries(db, userId).where('k.fingerprint', '=', fingerprint).limit(10).execute();
  // A process of the previous version may have changed the row without updating the fingerprint.
  const same = rows.map(toEntry).find((entry) => fingerprintOf(entry, entry.projectId) === fingerprint);
  return same ?? null;
}

const selectEntries = (db: Db, userId: number) =>
  db
    .selectFrom('ms_knowledge as k')
    .leftJoin('ms_sources as s', 's.id', 'k.source_ref')
    .selectAll('k')
    .select(['s.public_id as source_id', 's.name as source_name'])
    .where('k.user_id', '=', userId);

export async function findEntry(db: Db, userId: number, id: string): Promise<Entry | null> {
  const row = await selectEntries(db, userId).where('k.public_id', '=', id).executeTakeFirst();
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
  // Undefined columns are left unchanged.
  const values = { category, title, content, quote, source_session: sourceSession, source_message: sourceMessage };
  const row = await db
    .updateTable('ms_knowledge')
    .set({ ...values, ...(keywords && { keywords: JSON.stringify(keywords) }), updated_at: now })
    .where('user_id', '=', userId)
    .where('public_id', '=', id)
    .returning('id')
    .executeTakeFirst();
  const entry = row ? await findEntry(db, userId, id) : null;
  if (entry) await markEntry(db, entry);
  return entry;
}

const markEntry = (db: Db, entry: Entry) =>
  db
    .updateTable('ms_knowledge')
    .set({ fingerprint: fingerprintOf(entry, entry.projectId) })
    .where('id', '=', entry.ref)
    .execute();

/** Adds missing fingerprints, a limited number at a time; returns how many. */
export async function markEntries(db: Db, most: number): Promise<number> {
  const rows = await db
    .selectFrom('ms_knowledge')
    .selectAll()
    .where('fingerprint', 'is', null)
    .orderBy('id')
    .limit(most)
    .execute();
  for (const row of rows) await markEntry(db, toEntry({ ...row, source_id: null, source_name: null }));
  return rows.length;
}

export async function deleteEntry(db: Db, userId: number, id: string): Promise<boolean> {
  const gone = await db
    .deleteFrom('ms_knowledge')
    .where('user_id', '=', userId)
    .where('public_id', '=', id)
    .returning('source_ref')
    .execute();
  for (const { source_ref: ref } of gone)
    if (ref !== null)
      await db
        .updateTable('ms_sources')
        .set((eb) => ({ removed: eb('removed', '+', 1) }))
        .where('id', '=', ref)
        .execute();
  return gone.length > 0;
}

/** Ordered by id, which is chronological and indexed, so that no more rows are read than wanted. */
export async function newestEntries(
  db: Db,
  { userId, category, limit }: { userId: number; category?: string; limit: number },
): Promise<Entry[]> {
  let query = selectEntries(db, userId);
  if (category !== undefined) query = query.where('k.category', '=', category);
  const rows = await query.orderBy('k.id', 'desc').limit(limit).execute();
  return rows.map(toEntry);
}

export async function entriesByRef(db: Db, userId: number, refs: number[]): Promise<Entry[]> {
  if (refs.length === 0) return [];
  const rows = await selectEntries(db, userId).where('k.id', 'in', refs).execute();
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
  source_id: string | null;
  source_name: string | null;
  source_page: number | null;
  source_heading: string | null;
  source_position: number | null;
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
  source: row.source_id === null ? null : fileSource(row.source_id, row.source_name!, row),
  createdAt: row.created_at,
});

/** The searchable text of an entry, which is read to a certain length: title and keywords always. */
export const entryText = ({ title, keywords, content }: Pick<Fact, 'title' | 'keywords' | 'content'>): string =>
  [title, keywords.join(' '), content].filter((part) => part !== '').join('\n');

/** As shown in search results and lists. */
export const fileSource = (
  id: string,
  name: string,
  row: { source_page: number | null; source_heading: string | null; source_position: number | null },
): FileSource => ({
  id,
  name,
  page: row.source_page,
  heading: row.source_heading,
  position: row.source_position ?? 0,
});

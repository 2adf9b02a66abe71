import type { Selectable } from 'kysely';
import { randomString } from '../../lib/ids.ts';
import { findShaped } from '../../platform/db/find-row.ts';
import { pageOfMany, type Range } from '../../platform/db/list-page.ts';
import type { Db, Tables } from '../../platform/db/tables.ts';
import type { Fact } from '../knowledge-facts.ts';
import { yieldToEventLoop } from '../work-slices.ts';
import './tables.ts';

/**
 * `receiving`: its bytes are being stored. `waiting`: for a worker to read it. `reading`: its passages are being
 * stored. `deleting`: they are being removed. The other states are final.
 */
export type SourceState = 'receiving' | 'waiting' | 'reading' | 'ready' | 'failed' | 'deleting';

export interface Source {
  /** Row id, never shown. */
  ref: number;
  id: string;
  userId: number;
  keyId: number | null;
  projectId: string | null;
  name: string;
  kind: string;
  size: number;
  category: string;
  keywords: string[];
  replaces: boolean;
  state: SourceState;
  error: string | null;
  written: number;
  removed: number;
  total: number | null;
  attempts: number;
  createdAt: number;
  updatedAt: number;
}

export type NewSource = Pick<Source, 'userId' | 'keyId' | 'projectId' | 'name' | 'kind' | 'size' | 'replaces'> &
  Pick<Fact, 'category' | 'keywords'> & { contentHash: string };

/** Null if the user already has a source with this content. */
export async function addSource(db: Db, source: NewSource, now: number): Promise<Source | null> {
  const row = await db
    .insertInto('ms_sources')
    .values({
      public_id: `src-${randomString(20)}`,
      user_id: source.userId,
      key_id: source.keyId,
      project_id: source.projectId,
      name: source.name,
      kind: source.kind,
      content_hash: source.contentHash,
      size: source.size,
      category: source.category,
      keywords: JSON.stringify(source.keywords),
      replaces: source.replaces ? 1 : 0,
      state: 'receiving',
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  return row ? toSource(row) : null;
}

export async function sourceOfContent(
  db: Db,
  { userId, contentHash, projectId }: Pick<NewSource, 'userId' | 'contentHash' | 'projectId'>,
): Promise<Source | null> {
  const row = await db
    .selectFrom('ms_sources')
    .selectAll()
    .where('user_id', '=', userId)
    .where('content_hash', '=', contentHash)
    .where((eb) => eb(eb.fn.coalesce('project_id', eb.val('')), '=', projectId ?? ''))
    .executeTakeFirst();
  return row ? toSource(row) : null;
}

export const findSource = (db: Db, userId: number, id: string): Promise<Source | null> =>
  findShaped(db, 'ms_sources', { user_id: userId, public_id: id }, toSource);

export const sourceByRef = (db: Db, ref: number): Promise<Source | null> =>
  findShaped(db, 'ms_sources', { id: ref }, toSource);

/** Newest first. */
export async function listSources(
  db: Db,
  { userId, ...range }: { userId: number } & Range,
): Promise<{ sources: Source[]; total: number }> {
  const own = db.selectFrom('ms_sources').selectAll().where('user_id', '=', userId).orderBy('id', 'desc');
  const { rows, total } = await pageOfMany(db, own, range);
  return { sources: rows.map(toSource), total };
}

export async function addPart(db: Db, ref: number, position: number, bytes: Uint8Array): Promise<void> {
  await db.insertInto('ms_source_parts').values({ source_ref: ref, position, bytes }).execute();
}

/** Reads part by part: reading the whole file at once would be one long query. */
export async function bytesOf(db: Db, ref: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (;;) {
    const part = await db
      .selectFrom('ms_source_parts')
      .select('bytes')
      .where('source_ref', '=', ref)
      .where('position', '=', parts.length)
      .executeTakeFirst();
    if (!part) return Buffer.concat(parts);
    parts.push(part.bytes);
  }
}

export async function deleteParts(db: Db, ref: number): Promise<void> {
  await db.deleteFrom('ms_source_parts').where('source_ref', '=', ref).execute();
}

/** Changes the state if it is one of `from`; false if it is not. */
export async function turnTo(
  db: Db,
  ref: number,
  from: readonly SourceState[],
  change: { state: SourceState; error?: string; total?: number },
  now: number,
): Promise<boolean> {
  const rows = await db
    .updateTable('ms_sources')
    .set({ ...change, updated_at: now })
    .where('id', '=', ref)
    .where('state', 'in', from)
    .returning('id')
    .execute();
  return rows.length > 0;
}

/** Starts or resumes reading a source; null if there is nothing to read. */
export async function beginReading(db: Db, ref: number, now: number): Promise<Source | null> {
  const row = await db
    .updateTable('ms_sources')
    .set((eb) => ({ state: 'reading', attempts: eb('attempts', '+', 1), updated_at: now }))
    .where('id', '=', ref)
    .where('state', 'in', ['waiting', 'reading'])
    .returningAll()
    .executeTakeFirst();
  return row ? toSource(row) : null;
}

/**
 * Counts the passages stored by the same transaction. If it returns false, they must not be stored: the source is being
 * deleted, or another process has made progress meanwhile.
 */
export async function countWritten(tx: Db, ref: number, from: number, count: number, now: number): Promise<boolean> {
  const rows = await tx
    .updateTable('ms_sources')
    .set({ written: from + count, attempts: 0, updated_at: now })
    .where('id', '=', ref)
    .where('state', '=', 'reading')
    .where('written', '=', from)
    .returning('id')
    .execute();
  return rows.length > 0;
}

/** Earlier sources with the same name. */
export async function sourcesOfName(
  db: Db,
  { userId, name, projectId }: Pick<NewSource, 'userId' | 'name' | 'projectId'>,
): Promise<number[]> {
  const rows = await db
    .selectFrom('ms_sources')
    .select('id')
    .where('user_id', '=', userId)
    .where('name', '=', name)
    .where('project_id', projectId === null ? 'is' : '=', projectId)
    .execute();
  return rows.map(({ id }) => id);
}

/** Rows per statement; each deletion cascades to the row's words and vector. */
const mostAtOnce = 50;

/** Deletes the passages of a source, yielding to other requests in between. */
export async function deletePassages(db: Db, ref: number): Promise<void> {
  for (;;) {
    const some = db.selectFrom('ms_knowledge').select('id').where('source_ref', '=', ref).limit(mostAtOnce);
    const { numDeletedRows } = await db.deleteFrom('ms_knowledge').where('id', 'in', some).executeTakeFirst();
    if (Number(numDeletedRows) < mostAtOnce) return;
    await yieldToEventLoop();
  }
}

export async function deleteSourceRow(db: Db, ref: number): Promise<void> {
  await db.deleteFrom('ms_sources').where('id', '=', ref).execute();
}

/** Sources in one of these states that were not updated since `before`. */
export async function staleSources(db: Db, states: SourceState[], before: number, limit: number): Promise<Source[]> {
  const rows = await db
    .selectFrom('ms_sources')
    .selectAll()
    .where('state', 'in', states)
    .where('updated_at', '<', before)
    .orderBy('updated_at')
    .limit(limit)
    .execute();
  return rows.map(toSource);
}

const toSource = (row: Selectable<Tables['ms_sources']>): Source => ({
  ref: row.id,
  id: row.public_id,
  userId: row.user_id,
  keyId: row.key_id,
  projectId: row.project_id,
  name: row.name,
  kind: row.kind,
  size: row.size,
  category: row.category,
  keywords: JSON.parse(row.keywords) as string[],
  replaces: row.replaces === 1,
  state: row.state as SourceState,
  error: row.error,
  written: row.written,
  removed: row.removed,
  total: row.total,
  attempts: row.attempts,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

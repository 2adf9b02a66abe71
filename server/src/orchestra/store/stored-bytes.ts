import { sql } from 'kysely';
import { rowsOf } from '../../platform/db/pages.ts';
import type { Db } from '../../platform/db/tables.ts';
import { sizeOf } from '../../platform/storage-quota/sizes.ts';
import '../autonomous/store/tables.ts';
import './tables.ts';

/** Ids of a user's rows, page by page. */
const idsOf = (db: Db, table: 'ms_sessions' | 'ms_runs', userId: number) =>
  rowsOf(db, table, { of: { user_id: userId }, columns: ['id'] });

/** Two queries, because SQLite can seek to an id in the index only if all columns before it are equal. */
async function messagesKept(db: Db, session: number): Promise<number> {
  const of = (superseded: number) => sql`session_ref = ${session} and superseded = ${superseded}`;
  const rows = { table: 'ms_messages' as const, by: ['id'], texts: ['message'] };
  return (await sizeOf(db, { ...rows, where: of(0) })) + (await sizeOf(db, { ...rows, where: of(1) }));
}

/** Session by session and run by run, as the rows are indexed. Rows that expire within days are not counted. */
async function sessionsKept(db: Db, userId: number): Promise<number> {
  const own = sql`user_id = ${userId}`;
  let bytes = await sizeOf(db, { table: 'ms_sessions', where: own, by: ['id'], texts: ['tags'] });
  bytes += await sizeOf(db, { table: 'ms_runs', where: own, by: ['id'], texts: ['goal', 'tools', 'state', 'result'] });
  for await (const rows of idsOf(db, 'ms_sessions', userId))
    for (const { id } of rows) bytes += await messagesKept(db, id);
  for await (const rows of idsOf(db, 'ms_runs', userId))
    for (const { id } of rows) {
      const where = sql`run_ref = ${id}`;
      bytes += await sizeOf(db, { table: 'ms_run_steps', where, by: ['step_key'], texts: ['result'] });
      bytes += await sizeOf(db, { table: 'ms_run_checkpoints', where, by: ['id'], texts: ['state', 'config'] });
    }
  return bytes;
}

/** The bytes a user has stored here. */
export async function storedBytesOf(db: Db, userId: number) {
  const own = sql`user_id = ${userId}`;
  const unread = sql`${own} and state in ('receiving', 'waiting', 'reading')`;
  const texts = ['title', 'content', 'keywords', 'quote'];
  const entries = await sizeOf(db, { table: 'ms_knowledge', where: own, by: ['category', 'id'], texts });
  const files = await sizeOf(db, { table: 'ms_sources', where: unread, by: ['id'], counted: 'size' });
  const documents = await sizeOf(db, { table: 'ms_documents', where: own, by: ['id'] });
  const vectors = await sizeOf(db, {
    ...{ table: 'ms_vectors', where: own, by: ['model', 'id'], texts: ['bits', 'vector'] },
  });
  return {
    sessions: await sessionsKept(db, userId),
    knowledge: entries + files,
    memory: documents + vectors,
  };
}

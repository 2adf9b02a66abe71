import { sql } from 'kysely';
import { sha256Hex } from '../../lib/hashing.ts';
import { randomString } from '../../lib/ids.ts';
import { deleteRows, deletingOf } from '../../platform/db/delete-rows.ts';
import { countedPast } from '../../platform/db/list-page.ts';
import { inBatches } from '../../platform/db/pages.ts';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import './tables.ts';

export interface Session {
  /** Row id, never shown. */
  ref: number;
  userId: number;
  sessionId: string;
  projectId: string | null;
  tags: string[];
  totalMessages: number;
  /** Tokens of its messages. */
  totalTokens: number;
  /** Tokens used by all model calls made for it. */
  tokensUsed: number;
  createdAt: number;
  lastAccessed: number;
  hasActivePlan: boolean;
}

export const newSessionId = (): string => `ms-${randomString(24)}`;
/** Deterministic, so that a retry of the work finds the same session. */
export const sessionIdOf = (work: string): string => `ms-${sha256Hex(work).slice(0, 24)}`;

/** Finds the user's session by id, or creates it; `created` tells which. */
export async function openSession(
  db: Db,
  given: { userId: number; sessionId: string; projectId?: string; tags?: string[] },
  now: number,
): Promise<{ session: Session; created: boolean }> {
  const inserted = await db
    .insertInto('ms_sessions')
    .values({
      user_id: given.userId,
      session_id: given.sessionId,
      project_id: given.projectId ?? null,
      tags: JSON.stringify(given.tags ?? []),
      created_at: now,
      last_accessed: now,
    })
    .onConflict((conflict) => conflict.columns(['user_id', 'session_id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!inserted && given.projectId !== undefined) {
    // A session belongs to the project it was last used for.
    await db
      .updateTable('ms_sessions')
      .set({ project_id: given.projectId })
      .where('user_id', '=', given.userId)
      .where('session_id', '=', given.sessionId)
      .execute();
  }
  const session = await findSession(db, given.userId, given.sessionId, now);
  // Deleted between the two statements: start again.
  return session ? { session, created: inserted !== undefined } : openSession(db, given, now);
}

export async function findSession(db: Db, userId: number, sessionId: string, now: number): Promise<Session | null> {
  const row = await selectSessions(db, now)
    .where('ms_sessions.user_id', '=', userId)
    .where('ms_sessions.session_id', '=', sessionId)
    .executeTakeFirst();
  return row ? toSession(row) : null;
}

export async function sessionByRef(db: Db, ref: number, now: number): Promise<Session | null> {
  const row = await selectSessions(db, now).where('ms_sessions.id', '=', ref).executeTakeFirst();
  return row ? toSession(row) : null;
}

export async function listSessions(
  db: Db,
  { userId, tag, offset, limit }: { userId: number; tag?: string; offset: number; limit: number },
  now: number,
): Promise<{ sessions: Session[]; total: number }> {
  const own = tag === undefined ? sql`ms_sessions where user_id = ${userId}` : taggedWith(userId, tag);
  const newest = (most: number) =>
    sql<{ id: number }>`select ${sql.ref(tag === undefined ? 'id' : 'session_ref')} as id from ${own}
      order by last_accessed desc, 1 desc limit ${most}`;
  const page = await sql<{ id: number }>`${newest(limit)} offset ${offset}`.execute(db);
  const counted = await sql<{
    n: number;
  }>`select count(*) as n from (${newest(offset + limit + countedPast)}) as counted`.execute(db);
  const total = Number(counted.rows[0]!.n);
  const ids = page.rows.map(({ id }) => id);
  if (ids.length === 0) return { sessions: [], total };
  const rows = await selectSessions(db, now).where('ms_sessions.id', 'in', ids).execute();
  const byId = new Map(rows.map((row) => [row.id, toSession(row)]));
  return { sessions: ids.flatMap((id) => byId.get(id) ?? []), total };
}

const taggedWith = (userId: number, tag: string) => sql`ms_session_tags where user_id = ${userId} and tag = ${tag}`;

export async function addTokensUsed(db: Db, ref: number, tokens: number): Promise<void> {
  await db
    .updateTable('ms_sessions')
    .set((eb) => ({ tokens_used: eb('tokens_used', '+', tokens) }))
    .where('id', '=', ref)
    .execute();
}

/** Deletes a session with all its data; false if there was none. */
export async function deleteSession(db: Db, userId: number, sessionId: string): Promise<boolean> {
  const session = await db
    .selectFrom('ms_sessions')
    .select('id')
    .where('user_id', '=', userId)
    .where('session_id', '=', sessionId)
    .executeTakeFirst();
  return session !== undefined && removeSession(db, session.id);
}

/** Keeps a session from being deleted until the transaction ends; false if it is gone. Comes before locks of its rows. */
export async function holdSession(tx: Db, ref: number): Promise<boolean> {
  const held = tx.selectFrom('ms_sessions').select('id').where('id', '=', ref);
  return (await (engineOf(tx) === 'postgres' ? held.forKeyShare() : held).executeTakeFirst()) !== undefined;
}

/** False if it was already deleted concurrently. */
export async function removeSession(db: Db, ref: number): Promise<boolean> {
  // Delete messages first: the session's foreign key cascade could delete 100,000 of them in one statement.
  await inBatches((most) => deleteMessages(db, ref, most));
  return deleteRows(db, 'ms_sessions', { id: ref });
}

const deleteMessages = deletingOf('ms_messages', 'id', 'session_ref');

const selectSessions = (db: Db, now: number) =>
  db
    .selectFrom('ms_sessions')
    .selectAll()
    .select((eb) =>
      eb
        .selectFrom('ms_plans')
        .select((inner) => inner.fn.countAll<number>().as('active'))
        .whereRef('ms_plans.session_ref', '=', 'ms_sessions.id')
        .where('ms_plans.status', 'in', ['pending', 'running', 'waiting_for_tools'])
        .where('ms_plans.expires_at', '>', now)
        .as('active_plans'),
    );

type Row = Awaited<ReturnType<ReturnType<typeof selectSessions>['executeTakeFirstOrThrow']>>;

const toSession = (row: Row): Session => ({
  ref: row.id,
  userId: row.user_id,
  sessionId: row.session_id,
  projectId: row.project_id,
  tags: JSON.parse(row.tags) as string[],
  totalMessages: row.total_messages,
  totalTokens: row.total_tokens,
  tokensUsed: row.tokens_used,
  createdAt: row.created_at,
  lastAccessed: row.last_accessed,
  hasActivePlan: Number(row.active_plans) > 0,
});

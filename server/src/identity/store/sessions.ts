import type { Generated, Selectable, SelectQueryBuilder } from 'kysely';
import { deleteRows, deletingPast } from '../../platform/db/delete-rows.ts';
import { type Db, engineOf, type Tables } from '../../platform/db/tables.ts';
import { statuses, type User } from '../user.ts';
import { toUser } from './users.ts';

interface SessionsTable {
  id: Generated<number>;
  user_id: number;
  token_hash: string;
  ip: string;
  user_agent: string;
  created_at: number;
  last_seen_at: number;
  expires_at: number;
  /** When it last proved a second factor. */
  factor_at: number | null;
  /** When the user last authenticated at a provider, if before the session. */
  proven_at: number | null;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    sessions: SessionsTable;
  }
}

export type SessionRow = Selectable<SessionsTable>;

/** Null if the user was disabled or the password changed meanwhile. */
export async function insertSession(
  db: Db,
  session: Omit<SessionRow, 'id'>,
  passwordHash: string,
): Promise<number | null> {
  return db.transaction().execute(async (tx) => {
    const user = await held(
      tx
        .selectFrom('users')
        .select('id')
        .where('id', '=', session.user_id)
        .where('status', '=', statuses.enabled)
        .where('password_hash', '=', passwordHash),
      tx,
    );
    if (!user) return null;
    const row = await tx.insertInto('sessions').values(session).returning('id').executeTakeFirstOrThrow();
    return row.id;
  });
}

/** Whether the session exists; locked until the transaction ends. */
export async function holdSession(tx: Db, userId: number, id: number): Promise<boolean> {
  const session = tx.selectFrom('sessions').select('id').where('id', '=', id).where('user_id', '=', userId);
  return (await held(session, tx)) !== undefined;
}

/** Locks rows on PostgreSQL; SQLite has a single writer. */
const held = (query: SelectQueryBuilder<Tables, keyof Tables, { id: number }>, tx: Db) =>
  query.$if(engineOf(tx) === 'postgres', (found) => found.forShare()).executeTakeFirst();

/** When the user authenticated, here or externally; second factors count separately. */
export const signedInAtOf = ({ created_at, proven_at }: Pick<SessionRow, 'created_at' | 'proven_at'>): number =>
  proven_at ?? created_at;

export interface FoundSession {
  session: Pick<SessionRow, 'id' | 'last_seen_at' | 'expires_at'> & { signedInAt: number };
  user: User;
}

export async function findSession(db: Db, tokenHash: string): Promise<FoundSession | null> {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('users_now', 'users_now.id', 'sessions.user_id')
    .selectAll('users_now')
    .select(['sessions.id as session_id', 'sessions.created_at as began_at'])
    .select(['sessions.proven_at', 'sessions.last_seen_at', 'sessions.expires_at'])
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst();
  if (!row) return null;
  const { session_id: id, began_at: created_at, proven_at, last_seen_at, expires_at } = row;
  const session = { id, signedInAt: signedInAtOf({ created_at, proven_at }), last_seen_at, expires_at };
  return { session, user: toUser(row) };
}

export async function touchSession(db: Db, id: number, seenAt: number, expiresAt: number): Promise<void> {
  await db.updateTable('sessions').set({ last_seen_at: seenAt, expires_at: expiresAt }).where('id', '=', id).execute();
}

export async function listSessions(db: Db, userId: number, now: number): Promise<SessionRow[]> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('last_seen_at', 'desc')
    .limit(200)
    .execute();
}

export const deleteSession = (db: Db, userId: number, id: number): Promise<boolean> =>
  deleteRows(db, 'sessions', { id, user_id: userId });

/** All sessions of a user, optionally except one; returns their ids. */
export async function deleteSessions(db: Db, userId: number, keptId = 0): Promise<number[]> {
  const rows = await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id', '<>', keptId)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

export const deleteExpiredSessions = deletingPast('sessions', 'id', 'expires_at');

/** Null for never, and for an ended session. */
export async function factorAtOf(db: Db, id: number): Promise<number | null> {
  const row = await db.selectFrom('sessions').select('factor_at').where('id', '=', id).executeTakeFirst();
  return row?.factor_at ?? null;
}

export async function noteFactor(db: Db, id: number, at: number): Promise<void> {
  await db.updateTable('sessions').set({ factor_at: at }).where('id', '=', id).execute();
}

import type { Generated, Selectable } from 'kysely';
import type { Db } from '../../platform/db/tables.ts';
import type { User } from '../user.ts';
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
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    sessions: SessionsTable;
  }
}

export type SessionRow = Selectable<SessionsTable>;

export async function insertSession(db: Db, session: Omit<SessionRow, 'id'>): Promise<number> {
  const row = await db.insertInto('sessions').values(session).returning('id').executeTakeFirstOrThrow();
  return row.id;
}

export interface FoundSession {
  session: Pick<SessionRow, 'id' | 'last_seen_at' | 'expires_at'>;
  user: User;
}

export async function findSession(db: Db, tokenHash: string): Promise<FoundSession | null> {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .selectAll('users')
    .select(['sessions.id as session_id', 'sessions.last_seen_at', 'sessions.expires_at'])
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst();
  if (!row) return null;
  const session = { id: row.session_id, last_seen_at: row.last_seen_at, expires_at: row.expires_at };
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

export async function deleteSession(db: Db, userId: number, id: number): Promise<boolean> {
  const result = await db.deleteFrom('sessions').where('id', '=', id).where('user_id', '=', userId).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export async function deleteSessionsOf(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('sessions').where('user_id', '=', userId).execute();
}

/** Bounded, so that a sweep never holds the writer for long; returns how many went. */
export async function deleteExpiredSessions(db: Db, now: number, most: number): Promise<number> {
  const result = await db
    .deleteFrom('sessions')
    .where('id', 'in', (e) => e.selectFrom('sessions').select('id').where('expires_at', '<=', now).limit(most))
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

import { findShaped } from '../../platform/db/find-row.ts';
import { resealing } from '../../platform/db/reseal.ts';
import type { Db } from '../../platform/db/tables.ts';

/** A session as stored; its content is still sealed. */
export interface StoredSession {
  serverId: number;
  holder: string;
  openedWith: string;
  sealed: string;
  usedAt: number;
}

export const findSession = (db: Db, serverId: number, holder: string): Promise<StoredSession | null> =>
  findShaped(db, 'mcp_sessions', { server_id: serverId, holder }, fromRow);

/** If two are opened at once, the later one wins. */
export async function storeSession(db: Db, session: StoredSession): Promise<void> {
  const { serverId, holder, openedWith, sealed, usedAt } = session;
  const opened = { opened_with: openedWith, session: sealed, used_at: usedAt };
  await db
    .insertInto('mcp_sessions')
    .values({ server_id: serverId, holder, ...opened })
    .onConflict((conflict) => conflict.columns(['server_id', 'holder']).doUpdateSet(opened))
    .execute();
}

export async function touchSession(db: Db, serverId: number, holder: string, now: number): Promise<void> {
  await db
    .updateTable('mcp_sessions')
    .set({ used_at: now })
    .where('server_id', '=', serverId)
    .where('holder', '=', holder)
    .execute();
}

export async function dropSession(db: Db, serverId: number, holder: string): Promise<void> {
  await db.deleteFrom('mcp_sessions').where('server_id', '=', serverId).where('holder', '=', holder).execute();
}

/** Deletes the rows and returns them, so that of several processes only one ends each session. */
export async function takeSessionsOf(db: Db, holder: string): Promise<StoredSession[]> {
  const rows = await db.deleteFrom('mcp_sessions').where('holder', '=', holder).returningAll().execute();
  return rows.map(fromRow);
}

/** The same for sessions not used since this time. */
export async function takeIdleSessions(db: Db, before: number, most: number): Promise<StoredSession[]> {
  const idle = await db
    .selectFrom('mcp_sessions')
    .selectAll()
    .where('used_at', '<', before)
    .orderBy('used_at')
    .limit(most)
    .execute();
  return takeUnused(db, idle);
}

/** A user's sessions, at all servers or at one. */
export interface SessionsOf {
  userId: number;
  serverId?: number;
}

/** The same for a user's sessions except the most recently used `kept`. */
export async function takeOldestSessions(
  db: Db,
  { userId, serverId }: SessionsOf,
  kept: number,
  most: number,
): Promise<StoredSession[]> {
  const oldest = await db
    .selectFrom('mcp_sessions')
    .selectAll()
    .where('holder', 'like', `${userId} %`)
    .$if(serverId !== undefined, (all) => all.where('server_id', '=', serverId!))
    .orderBy('used_at', 'desc')
    .offset(kept)
    .limit(most)
    .execute();
  return takeUnused(db, oldest);
}

/** A session that was used after it was found is not taken. */
async function takeUnused(db: Db, found: readonly SessionRow[]): Promise<StoredSession[]> {
  const taken: StoredSession[] = [];
  for (const { server_id, holder, used_at } of found) {
    const row = await db
      .deleteFrom('mcp_sessions')
      .where('server_id', '=', server_id)
      .where('holder', '=', holder)
      .where('used_at', '=', used_at)
      .returningAll()
      .executeTakeFirst();
    if (row) taken.push(fromRow(row));
  }
  return taken;
}

interface SessionRow {
  server_id: number;
  holder: string;
  opened_with: string;
  session: string;
  used_at: number;
}

const fromRow = (row: SessionRow): StoredSession => ({
  serverId: row.server_id,
  holder: row.holder,
  openedWith: row.opened_with,
  sealed: row.session,
  usedAt: row.used_at,
});

export const resealSessions = resealing('mcp_sessions', ['server_id', 'holder'], 'session');

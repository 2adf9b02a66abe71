import type { Db } from '../../platform/db/tables.ts';

/** A session as stored: what it is made of is still sealed. */
export interface StoredSession {
  serverId: number;
  holder: string;
  openedWith: string;
  sealed: string;
  usedAt: number;
}

export async function findSession(db: Db, serverId: number, holder: string): Promise<StoredSession | null> {
  const row = await db
    .selectFrom('mcp_sessions')
    .selectAll()
    .where('server_id', '=', serverId)
    .where('holder', '=', holder)
    .executeTakeFirst();
  return row ? fromRow(row) : null;
}

/** Of two that were opened at once the later counts. */
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

/** Whoever gets them ends them: of two who ask, one gets each. */
export async function takeSessionsOf(db: Db, holder: string): Promise<StoredSession[]> {
  const rows = await db.deleteFrom('mcp_sessions').where('holder', '=', holder).returningAll().execute();
  return rows.map(fromRow);
}

/** The same for those that were not used since. */
export async function takeIdleSessions(db: Db, before: number, most: number): Promise<StoredSession[]> {
  const idle = await db
    .selectFrom('mcp_sessions')
    .select(['server_id', 'holder'])
    .where('used_at', '<', before)
    .orderBy('used_at')
    .limit(most)
    .execute();
  const taken: StoredSession[] = [];
  for (const { server_id, holder } of idle) {
    const row = await db
      .deleteFrom('mcp_sessions')
      .where('server_id', '=', server_id)
      .where('holder', '=', holder)
      .where('used_at', '<', before)
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

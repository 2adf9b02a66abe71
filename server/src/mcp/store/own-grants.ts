import { resealing } from '../../platform/db/reseal.ts';
import type { Db } from '../../platform/db/tables.ts';

/** The service's own grant at a server as stored, still sealed; null if there is none yet. */
export async function findOwnGrant(db: Db, serverId: number): Promise<string | null> {
  const row = await db
    .selectFrom('mcp_own_grants')
    .select('grant_sealed')
    .where('server_id', '=', serverId)
    .executeTakeFirst();
  return row?.grant_sealed ?? null;
}

/** False if the grant was changed meanwhile: another process was faster, or it was revoked. */
export async function replaceOwnGrant(
  db: Db,
  serverId: number,
  { before, sealed }: { before: string | null; sealed: string },
  now: number,
): Promise<boolean> {
  if (before === null) {
    const { numInsertedOrUpdatedRows = 0n } = await db
      .insertInto('mcp_own_grants')
      .values({ server_id: serverId, grant_sealed: sealed, updated_at: now })
      .onConflict((conflict) => conflict.column('server_id').doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows > 0n;
  }
  const { numUpdatedRows } = await db
    .updateTable('mcp_own_grants')
    .set({ grant_sealed: sealed, updated_at: now })
    .where('server_id', '=', serverId)
    .where('grant_sealed', '=', before)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export const dropOwnGrant = (db: Db, serverId: number): Promise<unknown> =>
  db.deleteFrom('mcp_own_grants').where('server_id', '=', serverId).execute();

export const resealOwnGrants = resealing('mcp_own_grants', ['server_id'], 'grant_sealed');

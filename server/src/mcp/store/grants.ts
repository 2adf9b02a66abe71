import { resealing } from '../../platform/db/reseal.ts';
import type { Db } from '../../platform/db/tables.ts';

/** A user's grant at a server as stored, still sealed. */
export interface StoredGrant {
  serverId: number;
  userId: number;
  sealed: string;
}

export async function findGrant(db: Db, serverId: number, userId: number): Promise<StoredGrant | null> {
  const row = await db
    .selectFrom('mcp_grants')
    .select('grant_sealed')
    .where('server_id', '=', serverId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row ? { serverId, userId, sealed: row.grant_sealed } : null;
}

/** The user is signing in at the authorization server, and returns with this state. Replaces an earlier attempt. */
export async function beginAttempt(db: Db, grant: StoredGrant, stateHash: string, now: number): Promise<void> {
  const fields = { grant_sealed: grant.sealed, state_hash: stateHash, updated_at: now };
  await db
    .insertInto('mcp_grants')
    .values({ server_id: grant.serverId, user_id: grant.userId, ...fields })
    .onConflict((conflict) => conflict.columns(['server_id', 'user_id']).doUpdateSet(fields))
    .execute();
}

/** Each state can be used once, by one of these users, before it expires. */
export async function takeAttempt(
  db: Db,
  { stateHash, userIds, since }: { stateHash: string; userIds: readonly number[]; since: number },
): Promise<StoredGrant | null> {
  const row = await db
    .updateTable('mcp_grants')
    .set({ state_hash: null })
    .where('state_hash', '=', stateHash)
    .where('user_id', 'in', userIds)
    .where('updated_at', '>=', since)
    .returning(['server_id', 'user_id', 'grant_sealed'])
    .executeTakeFirst();
  return row ? { serverId: row.server_id, userId: row.user_id, sealed: row.grant_sealed } : null;
}

/** False if there is one already. */
export async function insertGrant(db: Db, { serverId, userId, sealed }: StoredGrant, now: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('mcp_grants')
    .values({ server_id: serverId, user_id: userId, grant_sealed: sealed, state_hash: null, updated_at: now })
    .onConflict((conflict) => conflict.columns(['server_id', 'user_id']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

/** False if the grant was changed meanwhile: another process was faster, or it was revoked. */
export async function replaceGrant(db: Db, before: StoredGrant, sealed: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('mcp_grants')
    .set({ grant_sealed: sealed, updated_at: now })
    .where('server_id', '=', before.serverId)
    .where('user_id', '=', before.userId)
    .where('grant_sealed', '=', before.sealed)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Filters by server, by user, or by both. */
export interface GrantFilter {
  serverId?: number | undefined;
  userId?: number | undefined;
}

export async function findGrants(db: Db, { serverId, userId }: GrantFilter, most: number): Promise<StoredGrant[]> {
  const rows = await db
    .selectFrom('mcp_grants')
    .select(['server_id', 'user_id', 'grant_sealed'])
    .$if(serverId !== undefined, (some) => some.where('server_id', '=', serverId!))
    .$if(userId !== undefined, (some) => some.where('user_id', '=', userId!))
    .limit(most)
    .execute();
  return rows.map((row) => ({ serverId: row.server_id, userId: row.user_id, sealed: row.grant_sealed }));
}

/** Only if unchanged: a grant that was renewed meanwhile stays. */
export const dropGrant = (db: Db, { serverId, userId, sealed }: StoredGrant): Promise<unknown> =>
  db
    .deleteFrom('mcp_grants')
    .where('server_id', '=', serverId)
    .where('user_id', '=', userId)
    .where('grant_sealed', '=', sealed)
    .execute();

export const resealGrants = resealing('mcp_grants', ['server_id', 'user_id'], 'grant_sealed');

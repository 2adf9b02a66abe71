import type { McpContext } from './context.ts';
import { openedGrant } from './grants.ts';
import { dropGrant, findGrants, type GrantFilter, type StoredGrant } from './store/grants.ts';
import { findServer, type McpServer } from './store/servers.ts';

/** Batch size: a server with many users has many grants. */
const batch = 100;

/**
 * Deletes users' grants here and revokes their tokens at the authorization server. `server` is the one before a change,
 * because the tokens were issued to its client.
 */
export async function forgetGrants(room: McpContext, among: GrantFilter, server?: McpServer): Promise<void> {
  // A grant that was renewed meanwhile is not deleted; the next round finds it with its new tokens.
  for (;;) {
    const grants = await findGrants(room.db, among, batch);
    if (grants.length === 0) return;
    await Promise.all(grants.map((grant) => forget(room, grant, server)));
  }
}

async function forget(room: McpContext, grant: StoredGrant, server: McpServer | undefined): Promise<void> {
  const at = server ?? (await findServer(room.db, grant.serverId));
  const given = openedGrant(room, grant);
  // Enqueue the revocation before deleting: after a crash in between, a retry still deletes the grant.
  if (at && given) await room.giveBack(at, given);
  await dropGrant(room.db, grant);
  await room.known.grantChanged(grant.serverId, grant.userId);
}

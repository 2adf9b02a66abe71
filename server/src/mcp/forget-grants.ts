import { openedGrant } from './grants.ts';
import type { McpRoom } from './room.ts';
import { type Among, dropGrant, type StoredGrant, someGrants } from './store/grants.ts';
import { findServer, type McpServer } from './store/servers.ts';

/** Read at once; a server of many users has many. */
const batch = 100;

/**
 * What users let us do is forgotten here, and given back there. `server` is the one of before a change: its client is whom the
 * tokens were given to.
 */
export async function forgetGrants(room: McpRoom, among: Among, server?: McpServer): Promise<void> {
  // One that was renewed meanwhile is found again, with what it was renewed to.
  for (;;) {
    const grants = await someGrants(room.db, among, batch);
    if (grants.length === 0) return;
    await Promise.all(grants.map((grant) => forget(room, grant, server)));
  }
}

async function forget(room: McpRoom, grant: StoredGrant, server: McpServer | undefined): Promise<void> {
  const at = server ?? (await findServer(room.db, grant.serverId));
  const given = openedGrant(room, grant);
  // Noted before it is gone: who is killed in between gives back what is then forgotten by the next try.
  if (at && given) await room.giveBack(at, given);
  await dropGrant(room.db, grant);
  await room.known.grantChanged(grant.serverId, grant.userId);
}

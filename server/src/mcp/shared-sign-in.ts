import { findUser } from '../identity/store/users.ts';
import { AppError } from '../lib/errors.ts';
import { forgetGrants } from './forget-grants.ts';
import { openedGrant } from './grants.ts';
import type { McpRoom } from './room.ts';
import { findGrant } from './store/grants.ts';
import { isShared, type McpServer } from './store/servers.ts';
import { organisationIn } from './tool-names.ts';

/*
 * Servers of organisations that are signed in to once for all: what is granted is the account's, as the server is, and whoever runs
 * the organisation gives it and takes it back. Who has signed in for themselves goes by that.
 */

export function requireOrganisation({ sharedSignIn, name }: Pick<McpServer, 'sharedSignIn' | 'name'>): void {
  if (sharedSignIn && organisationIn(name) === null)
    throw new AppError('invalid_value', 'sign_in: shared is for servers of organisations', { param: 'sign_in' });
}

/** Who signed in for all; null where nobody has. */
export interface SharedSigner {
  id: number;
  /** Null for somebody who is gone. */
  name: string | null;
}

export async function sharedSignerOf(room: McpRoom, server: McpServer): Promise<SharedSigner | null> {
  const by = isShared(server) ? await signerOf(room, server) : null;
  return by === null ? null : { id: by, name: (await findUser(room.db, by))?.username ?? null };
}

async function signerOf(room: McpRoom, { id, ownerId }: Pick<McpServer, 'id' | 'ownerId'>): Promise<number | null> {
  const stored = ownerId === null ? null : await findGrant(room.db, id, ownerId);
  const grant = stored && openedGrant(room, stored);
  return grant?.tokens ? (grant.by ?? null) : null;
}

/** Given back as well; nobody goes on in a session that was begun with it. */
export async function endShared(room: McpRoom, server: McpServer): Promise<void> {
  const { id: serverId, ownerId, organisationId } = server;
  if (ownerId !== null && organisationId !== null) await forgetGrants(room, { serverId, userId: ownerId }, server);
  room.sessions.forget(serverId);
  room.callers.forget(serverId);
}

/** Nobody acts in the name of somebody who has left. */
export async function endSharedBy(room: McpRoom, server: McpServer, userId: number): Promise<void> {
  if ((await signerOf(room, server)) === userId) await endShared(room, server);
}

import { findUser } from '../identity/store/users.ts';
import { AppError } from '../lib/errors.ts';
import type { McpContext } from './context.ts';
import { forgetGrants } from './forget-grants.ts';
import { openedGrant } from './grants.ts';
import { findGrant } from './store/grants.ts';
import { isShared, type McpServer } from './store/servers.ts';
import { organisationIn } from './tool-names.ts';

/*
 * Servers of organisations with one sign-in for all members: the grant belongs to the organisation's account, like the
 * server, and managers of the organisation create and revoke it. Members who have signed in themselves use their own
 * grant.
 */

export function requireOrganisation({ sharedSignIn, name }: Pick<McpServer, 'sharedSignIn' | 'name'>): void {
  if (sharedSignIn && organisationIn(name) === null)
    throw new AppError('invalid_value', 'sign_in: shared is only for servers of organisations', { param: 'sign_in' });
}

/** The user who signed in for all; null if there is none. */
export interface SharedSigner {
  id: number;
  /** Null if the user was deleted. */
  name: string | null;
}

export async function sharedSignerOf(room: McpContext, server: McpServer): Promise<SharedSigner | null> {
  const by = isShared(server) ? await signerOf(room, server) : null;
  return by === null ? null : { id: by, name: (await findUser(room.db, by))?.username ?? null };
}

async function signerOf(room: McpContext, { id, ownerId }: Pick<McpServer, 'id' | 'ownerId'>): Promise<number | null> {
  const stored = ownerId === null ? null : await findGrant(room.db, id, ownerId);
  const grant = stored && openedGrant(room, stored);
  return grant?.tokens ? (grant.by ?? null) : null;
}

/** Also revokes the tokens and closes sessions that were opened with them. */
export async function endShared(room: McpContext, server: McpServer): Promise<void> {
  const { id: serverId, ownerId, organisationId } = server;
  if (ownerId !== null && organisationId !== null) await forgetGrants(room, { serverId, userId: ownerId }, server);
  room.sessions.forget(serverId);
  room.callers.forget(serverId);
}

/** A shared sign-in must not outlive its user's membership. */
export async function endSharedBy(room: McpContext, server: McpServer, userId: number): Promise<void> {
  if ((await signerOf(room, server)) === userId) await endShared(room, server);
}

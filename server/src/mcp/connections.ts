import type { SessionPrincipal } from '../identity/principals.ts';
import type { McpContext } from './context.ts';
import { ownName } from './front/own-server.ts';
import { isSignedIn } from './grants.ts';
import { ownerFor } from './owner.ts';
import { type SharedSigner, sharedSignerOf } from './shared-sign-in.ts';
import type { McpServer } from './store/servers.ts';
import { type AllowedTool, allowedTools } from './store/tools.ts';
import { serversFor } from './usable-tools.ts';

/** A server as shown to a user who may use it. */
export interface UsableConnection {
  server: McpServer;
  tools: AllowedTool[];
  manageable: boolean;
  own: boolean;
  /** The organisation whose members may use it. */
  organisation: { id: number; name: string } | null;
  /** Null if no sign-in is needed. */
  signedIn: boolean | null;
  /** The user who signed in for all others. */
  signedInBy: SharedSigner | null;
  /**
   * The identity provider that would vouch for the user; null if the server uses none, or the provider may not vouch.
   */
  signInThrough: { slug: string; name: string } | null;
}

async function standingOf(
  room: McpContext,
  server: McpServer,
  userId: number,
): Promise<Pick<UsableConnection, 'signedIn' | 'signInThrough'>> {
  const { auth, vouchedBy } = server;
  if (auth === 'enterprise') {
    const [account, signInThrough] = await Promise.all([
      room.vouching.accountOf(vouchedBy, userId),
      room.vouching.provider(vouchedBy),
    ]);
    return { signedIn: account !== null, signInThrough };
  }
  return { signedIn: auth === 'oauth' ? await isSignedIn(room, server, userId) : null, signInThrough: null };
}

/** All servers that a user may use, including disabled ones that the user manages. Sends no request to any server. */
export async function connectionsOf(
  room: McpContext,
  principal: Pick<SessionPrincipal, 'user'>,
  usersMayConnect: boolean,
): Promise<UsableConnection[]> {
  const { id } = principal.user;
  const all = await serversFor(room, id);
  const memberships = new Map((await room.memberships.of(id)).map((one) => [one.id, one]));
  const within = ({ organisationId }: McpServer) => memberships.get(organisationId ?? 0) ?? null;
  const isOurs = (server: McpServer): boolean => server.ownerId === id || within(server)?.manages === true;
  // A server that had this name before it was reserved for our own is not reachable.
  const servers = all.filter((server) => (server.enabled || isOurs(server)) && server.name !== ownName);
  const ids = servers.map((server) => server.id);
  const allowed = Map.groupBy(await allowedTools(room.db, ids), ({ serverId }) => serverId);
  const looksAfterAll = ownerFor(principal) === null;
  return Promise.all(
    servers.map(async (server) => {
      const organisation = within(server);
      return {
        ...{ server, own: server.ownerId === id, tools: allowed.get(server.id) ?? [] },
        organisation: organisation && { id: organisation.id, name: organisation.name },
        manageable: looksAfterAll || (isOurs(server) && usersMayConnect),
        ...(await standingOf(room, server, id)),
        signedInBy: await sharedSignerOf(room, server),
      };
    }),
  );
}

import { findUser } from '../identity/store/users.ts';
import { roles, statuses, type User } from '../identity/user.ts';
import { AppError } from '../lib/errors.ts';
import { isAsApproved } from './definition.ts';
import { secretsOf, tellFault } from './fault.ts';
import type { McpRoom } from './room.ts';
import { findServer, type McpServer, serversOwnedBy } from './store/servers.ts';
import { type AllowedTool, allowedTools } from './store/tools.ts';
import { headersOf, listedTo } from './target.ts';
import { offeredName, plainNameOf, serverOf } from './tool-names.ts';

/** A server that did not answer is left out of lists for so long, so that it does not hold up every one of them. */
const leftOutMs = 30_000;
const mostFailed = 10_000;

/** A tool that a user may call now, and whose it is. */
export interface Offer {
  server: McpServer;
  tool: AllowedTool;
}

/**
 * All tools that a user may call now, by a client that can be asked this much: allowed, and still described as they were when
 * they were.
 */
export type Offers = (userId: number, abilities?: string) => Promise<Offer[]>;

export function openOffers(room: McpRoom): Offers {
  const failed = new Map<string, { updatedAt: number; atMs: number }>();
  const leftOut = (place: string, { updatedAt }: McpServer): boolean => {
    const last = failed.get(place);
    return last?.updatedAt === updatedAt && room.clock.steadyMs() - last.atMs < leftOutMs;
  };

  const offeredOf = async (server: McpServer, allowed: AllowedTool[], holder: string): Promise<Offer[]> => {
    const place = `${server.id} ${holder}`;
    if (allowed.length === 0 || leftOut(place, server)) return [];
    try {
      const { definitions } = await room.sessions.listing(server, holder, AbortSignal.timeout(server.timeoutMs));
      failed.delete(place);
      return allowed.filter((tool) => isAsApproved(definitions, tool)).map((tool) => ({ server, tool }));
    } catch (error) {
      // One for each user who has not signed in: they are forgotten now and then.
      if (failed.size >= mostFailed) failed.clear();
      failed.set(place, { updatedAt: server.updatedAt, atMs: room.clock.steadyMs() });
      room.log.warn(
        { server: server.name, fault: tellFault(error, 'anybody', secretsIn(room, server)) },
        'a connected server could not list its tools',
      );
      return [];
    }
  };

  return async (userId, abilities = '') => {
    const servers = await usableServers(room, userId);
    const ids = servers.map(({ id }) => id);
    const allowed = Map.groupBy(await allowedTools(room.db, ids), ({ serverId }) => serverId);
    const offered = servers.map((server) =>
      offeredOf(server, allowed.get(server.id) ?? [], listedTo(server, userId, abilities)),
    );
    return (await Promise.all(offered)).flat();
  };
}

/** What a user may use while it is enabled; by a name that is both theirs and the operator's they mean their own. */
export async function serversFor({ db, memberships }: Usable, userId: number): Promise<McpServer[]> {
  const user = await findUser(db, userId);
  const accounts = (await memberships.of(userId)).flatMap(({ uses, accountId }) => (uses ? [accountId] : []));
  const servers = await serversOwnedBy(db, [userId, ...accounts]);
  const usable = servers.filter((server) =>
    mayUse(
      user,
      server,
      accounts.some((id) => id === server.ownerId),
    ),
  );
  const own = new Set(usable.flatMap(({ ownerId, name }) => (ownerId === null ? [] : [name])));
  return usable.filter(({ ownerId, name }) => ownerId !== null || !own.has(name));
}

/** Whoever is disabled or gone uses nothing. `member`: of the organisation whose server it is. */
function mayUse(user: Caller | null, { ownerId, audience, userIds }: McpServer, member: boolean): boolean {
  if (user?.status !== statuses.enabled) return false;
  // Keys of teams are the account's, as the servers are.
  if (ownerId !== null) return member || ownerId === user.id;
  if (audience === 'everyone') return true;
  return audience === 'administrators' ? user.role >= roles.administrator : userIds.includes(user.id);
}

type Caller = Pick<User, 'id' | 'role' | 'status'>;
type Usable = Pick<McpRoom, 'db' | 'memberships'>;

export const usableServers = async (room: Usable, userId: number): Promise<McpServer[]> =>
  (await serversFor(room, userId)).filter(({ enabled }) => enabled);

/** The server itself where the user may use it now. */
function ifUsable(
  { memberships }: Pick<McpRoom, 'memberships'>,
  user: Caller | null,
  server: McpServer | null,
): McpServer | null | Promise<McpServer | null> {
  if (!server?.enabled) return null;
  const { organisationId } = server;
  const member = user !== null && organisationId !== null && memberships.uses(user.id, organisationId);
  if (member instanceof Promise) return ifUsableTo(user, server, member);
  return mayUse(user, server, member) ? server : null;
}

const ifUsableTo = async (
  user: Caller | null,
  server: McpServer,
  member: Promise<boolean>,
): Promise<McpServer | null> => (mayUse(user, server, await member) ? server : null);

/** The server of this name, where the user may use it: who may not learns no more than that there is none. */
export function usableServer(
  room: Pick<McpRoom, 'known' | 'memberships'>,
  user: Caller | null,
  name: string,
): McpServer | null | Promise<McpServer | null> {
  const server = user === null ? null : room.known.server(user.id, name);
  return server instanceof Promise ? usableLater(room, user, server) : ifUsable(room, user, server);
}

const usableLater = async (
  room: Pick<McpRoom, 'memberships'>,
  user: Caller | null,
  server: Promise<McpServer | null>,
): Promise<McpServer | null> => ifUsable(room, user, await server);

export async function usableById(room: Usable, userId: number, id: number): Promise<McpServer> {
  const server = await ifUsable(room, await findUser(room.db, userId), await findServer(room.db, id));
  if (server) return server;
  throw new AppError('not_found', `there is no MCP server ${id}`);
}

type Finding = Pick<McpRoom, 'db' | 'known' | 'memberships'>;

/** By the name that it is offered under. */
export async function findTool(room: Finding, user: Caller | null, name: string): Promise<Offer> {
  const slug = serverOf(name);
  const server = slug === null ? null : await usableServer(room, user, slug);
  const tool = server && (await toolOffered(room, server, name));
  if (server && tool) return { server, tool };
  throw new AppError('not_found', `there is no tool ${name}`);
}

/** Most are offered under the server's own name for them; only of an altered one nobody can say what it was. */
async function toolOffered({ db, known }: Finding, server: McpServer, name: string): Promise<AllowedTool | undefined> {
  const plain = plainNameOf(server.name, name);
  const tool = offeredName(server.name, plain) === name ? await known.tool(server.id, plain) : null;
  if (tool) return tool;
  return (await allowedTools(db, [server.id])).find((one) => offeredName(server.name, one.name) === name);
}

/** What must not be told of a server, whatever it answers. */
export function secretsIn(room: Pick<McpRoom, 'sealer'>, server: McpServer): string[] {
  let secrets = secretsBy.get(server);
  if (secrets) return secrets;
  try {
    secrets = secretsOf(headersOf(room, server));
  } catch {
    // What cannot be opened is not sent either.
    secrets = [];
  }
  secretsBy.set(server, secrets);
  return secrets;
}

/** Opened once for each server that is kept: a change of it makes another object. */
const secretsBy = new WeakMap<McpServer, string[]>();

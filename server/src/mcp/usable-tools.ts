import { findUser } from '../identity/store/users.ts';
import { roles, statuses, type User } from '../identity/user.ts';
import { AppError } from '../lib/errors.ts';
import type { McpContext } from './context.ts';
import { isAsApproved } from './definition.ts';
import { describeFault, rethrowOwn } from './fault.ts';
import { headerSecretsOf } from './header-secrets.ts';
import { findServer, type McpServer, serversOwnedBy } from './store/servers.ts';
import { type AllowedTool, allowedTools } from './store/tools.ts';
import { headersOf, listingHolder, userOf } from './target.ts';
import { offeredName, plainNameOf, serverOf } from './tool-names.ts';

/** How long a server that failed to answer is skipped, so that it does not delay every listing. */
const leftOutMs = 30_000;
const mostFailed = 10_000;

/** A tool that a user may call now, with its server. */
export interface UsableTool {
  server: McpServer;
  tool: AllowedTool;
}

/** All tools that a user may call now through a client with these capabilities: approved, and unchanged since. */
export type ListUsableTools = (userId: number, abilities?: string) => Promise<UsableTool[]>;

export function openUsableTools(room: McpContext): ListUsableTools {
  const failed = new Map<string, { updatedAt: number; atMs: number }>();
  const leftOut = (place: string, { updatedAt }: McpServer): boolean => {
    const last = failed.get(place);
    return last?.updatedAt === updatedAt && room.clock.steadyMs() - last.atMs < leftOutMs;
  };

  const offeredOf = async (server: McpServer, allowed: AllowedTool[], holder: string): Promise<UsableTool[]> => {
    const place = `${server.id} ${holder}`;
    if (allowed.length === 0 || leftOut(place, server)) return [];
    try {
      const { definitions } = await room.sessions.listing(server, holder, AbortSignal.timeout(server.timeoutMs));
      failed.delete(place);
      return allowed.filter((tool) => isAsApproved(definitions, tool)).map((tool) => ({ server, tool }));
    } catch (error) {
      rethrowOwn(error);
      // One entry per user who has not signed in, so the map is cleared when it is full.
      if (failed.size >= mostFailed) failed.clear();
      failed.set(place, { updatedAt: server.updatedAt, atMs: room.clock.steadyMs() });
      room.log.warn(
        { server: server.name, fault: describeFault(error, 'anybody', secretsIn(room, server, userOf(holder))) },
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
      offeredOf(server, allowed.get(server.id) ?? [], listingHolder(server, userId, abilities)),
    );
    return (await Promise.all(offered)).flat();
  };
}

/**
 * All servers that a user may use, enabled or not. If a user's server has the same name as one of the operator's, the
 * user's own wins.
 */
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

/**
 * Disabled and deleted users may use nothing. `member`: whether the user is in the organisation that owns the server.
 */
function mayUse(user: Caller | null, { ownerId, audience, userIds }: McpServer, member: boolean): boolean {
  if (user?.status !== statuses.enabled) return false;
  // Team keys belong to the organisation's account, which owns the server.
  if (ownerId !== null) return member || ownerId === user.id;
  if (audience === 'everyone') return true;
  return audience === 'administrators' ? user.role >= roles.administrator : userIds.includes(user.id);
}

type Caller = Pick<User, 'id' | 'role' | 'status'>;
type Usable = Pick<McpContext, 'db' | 'memberships'>;

export const usableServers = async (room: Usable, userId: number): Promise<McpServer[]> =>
  (await serversFor(room, userId)).filter(({ enabled }) => enabled);

/** The server, if the user may use it now; else null. */
function ifUsable(
  { memberships }: Pick<McpContext, 'memberships'>,
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

/** The server with this name, if the user may use it. For others it does not exist. */
export function usableServer(
  room: Pick<McpContext, 'known' | 'memberships'>,
  user: Caller | null,
  name: string,
): McpServer | null | Promise<McpServer | null> {
  const server = user === null ? null : room.known.server(user.id, name);
  return server instanceof Promise ? usableLater(room, user, server) : ifUsable(room, user, server);
}

const usableLater = async (
  room: Pick<McpContext, 'memberships'>,
  user: Caller | null,
  server: Promise<McpServer | null>,
): Promise<McpServer | null> => ifUsable(room, user, await server);

export async function usableById(room: Usable, userId: number, id: number): Promise<McpServer> {
  const server = await ifUsable(room, await findUser(room.db, userId), await findServer(room.db, id));
  if (server) return server;
  throw new AppError('not_found', `there is no MCP server ${id}`);
}

type Finding = Pick<McpContext, 'db' | 'known' | 'memberships'>;

/** By the name under which it is offered. */
export async function findTool(room: Finding, user: Caller | null, name: string): Promise<UsableTool> {
  const slug = serverOf(name);
  const server = slug === null ? null : await usableServer(room, user, slug);
  const tool = server && (await toolOffered(room, server, name));
  if (server && tool) return { server, tool };
  throw new AppError('not_found', `there is no tool ${name}`);
}

/** Most tools are offered under their own name; only an altered name needs a search through all tools. */
async function toolOffered({ db, known }: Finding, server: McpServer, name: string): Promise<AllowedTool | undefined> {
  const plain = plainNameOf(server.name, name);
  const tool = offeredName(server.name, plain) === name ? await known.tool(server.id, plain) : null;
  if (tool) return tool;
  return (await allowedTools(db, [server.id])).find((one) => offeredName(server.name, one.name) === name);
}

/** Values that must be redacted from a server's answers to this user. */
export function secretsIn(
  room: Pick<McpContext, 'sealer' | 'sentTokens'>,
  server: McpServer,
  userId: number | null,
): readonly string[] {
  const tokens = room.sentTokens.of(server, userId);
  const headers = headerSecretsIn(room, server);
  return tokens.length === 0 ? headers : [...headers, ...tokens];
}

function headerSecretsIn(room: Pick<McpContext, 'sealer'>, server: McpServer): string[] {
  let secrets = secretsBy.get(server);
  if (secrets) return secrets;
  try {
    secrets = headerSecretsOf(headersOf(room, server));
  } catch {
    // Headers that cannot be unsealed are not sent either.
    secrets = [];
  }
  secretsBy.set(server, secrets);
  return secrets;
}

/** Unsealed once per cached server; a change creates a new object. */
const secretsBy = new WeakMap<McpServer, string[]>();

import { findUser } from '../identity/store/users.ts';
import { roles, statuses } from '../identity/user.ts';
import type { ConnectedTool, ConnectedTools, ToolOutcome } from '../lib/connected-tools.ts';
import { AppError } from '../lib/errors.ts';
import type { Db } from '../platform/db/tables.ts';
import { secretsOf, tellFault, withoutSecrets } from './fault.ts';
import type { Listing } from './listing.ts';
import { outcomeOf } from './outcome.ts';
import type { McpRoom } from './room.ts';
import { targetOf } from './sessions.ts';
import { findServerByName, listServers, type McpServer } from './store/servers.ts';
import { type AllowedTool, allowedTools } from './store/tools.ts';
import { offeredName, serverOf } from './tool-names.ts';

/** A server that did not answer is left out of lists for so long, so that it does not hold up every one of them. */
const leftOutMs = 30_000;

export function connectedTools(room: McpRoom): ConnectedTools {
  const failed = new Map<number, { updatedAt: number; atMs: number }>();
  const leftOut = ({ id, updatedAt }: McpServer): boolean => {
    const last = failed.get(id);
    return last?.updatedAt === updatedAt && room.clock.steadyMs() - last.atMs < leftOutMs;
  };

  const offeredOf = async (server: McpServer, allowed: AllowedTool[]): Promise<ConnectedTool[]> => {
    if (allowed.length === 0 || leftOut(server)) return [];
    try {
      const listing = await room.sessions.listing(server, AbortSignal.timeout(server.timeoutMs));
      failed.delete(server.id);
      return allowed.filter((tool) => isAsApproved(listing, tool)).map((tool) => offered(server, tool));
    } catch (error) {
      failed.set(server.id, { updatedAt: server.updatedAt, atMs: room.clock.steadyMs() });
      room.log.warn(
        { server: server.name, fault: tellFault(error, 'anybody', secretsIn(room, server)) },
        'a connected server could not list its tools',
      );
      return [];
    }
  };

  return {
    list: async (userId) => {
      const all = (await listServers(room.db)).filter(({ enabled }) => enabled);
      const may = await mayUse(room.db, userId);
      const servers = all.filter(may);
      const allowed = Map.groupBy(
        await allowedTools(
          room.db,
          servers.map(({ id }) => id),
        ),
        ({ serverId }) => serverId,
      );
      return (await Promise.all(servers.map((server) => offeredOf(server, allowed.get(server.id) ?? [])))).flat();
    },
    call: async (userId, name, args, signal) => {
      signal.throwIfAborted();
      const { server, tool } = await findTool(room.db, userId, name);
      return callTool(room, server, tool, args, signal);
    },
  };
}

const offered = (server: McpServer, tool: AllowedTool): ConnectedTool => ({
  name: offeredName(server.name, tool.name),
  description: tool.description,
  parameters: tool.inputSchema,
  askFirst: tool.askFirst,
});

/** The operator has approved what a model is told, and the server still means the same. */
const isAsApproved = ({ definitions }: Listing, { name, definition }: AllowedTool): boolean =>
  definitions.some((listed) => listed.name === name && listed.hash === definition);

/** Whoever is disabled or gone uses nothing. */
async function mayUse(db: Db, userId: number): Promise<(server: McpServer) => boolean> {
  const user = await findUser(db, userId);
  if (user?.status !== statuses.enabled) return () => false;
  return ({ audience, userIds }) => {
    if (audience === 'everyone') return true;
    return audience === 'administrators' ? user.role >= roles.administrator : userIds.includes(userId);
  };
}

async function findTool(db: Db, userId: number, name: string): Promise<{ server: McpServer; tool: AllowedTool }> {
  const slug = serverOf(name);
  const server = slug === null ? null : await findServerByName(db, slug);
  if (server?.enabled && (await mayUse(db, userId))(server)) {
    const tools = await allowedTools(db, [server.id]);
    const tool = tools.find((one) => offeredName(server.name, one.name) === name);
    if (tool) return { server, tool };
  }
  throw new AppError('not_found', `there is no tool ${name}`);
}

async function callTool(
  room: McpRoom,
  server: McpServer,
  tool: AllowedTool,
  args: Record<string, unknown>,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const secrets = secretsIn(room, server);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(server.timeoutMs)]);
  let begun = false;
  try {
    if (!isAsApproved(await room.sessions.listing(server, deadline), tool))
      return failure(`${tool.name} was not called: the server has changed or removed it since it was approved.`);
    begun = true;
    const outcome = outcomeOf(await room.sessions.call(server, tool, args, deadline));
    return { ...outcome, text: withoutSecrets(outcome.text, secrets) };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const why = tellFault(error, 'anybody', secrets);
    room.log.warn({ server: server.name, tool: tool.name, fault: why }, 'a connected tool failed');
    const known = begun ? 'It is not known whether the tool did anything.' : 'The tool was not called.';
    return failure(`The server ${server.name} failed: ${why}. ${known}`);
  }
}

const failure = (text: string): ToolOutcome => ({ text, isError: true, cut: false });

function secretsIn(room: McpRoom, server: McpServer): string[] {
  try {
    return secretsOf(targetOf(room, server).headers);
  } catch {
    // What cannot be opened is not sent either.
    return [];
  }
}

import { AppError } from '../../lib/errors.ts';
import { capabilitiesOfHolder } from '../client-capabilities.ts';
import type { Params } from '../connection.ts';
import { rethrowOwn } from '../fault.ts';
import { holderFor } from '../target.ts';
import { hasTasks } from '../task-answers.ts';
import { offeredName, serverOf } from '../tool-names.ts';
import { findTool, type UsableTool, usableServer } from '../usable-tools.ts';
import { callAllowed, toolView } from './call-tool.ts';
import { type McpCaller, opensTool } from './caller.ts';
import type { FrontContext } from './context.ts';
import { badParams, type Endpoint, type Exchange, noMethod, type Requester } from './endpoint.ts';
import { callOwn, ownName, ownServerInfo, ownToolIn, ownViews } from './own-server.ts';
import { answerTask, isTaskMethod, withTasks } from './tasks.ts';

/**
 * All tools that the caller may use, across servers. Resources and prompts are left out: their addresses are known only
 * to their own server.
 */
export const allServers = (room: FrontContext): Endpoint => ({
  name: '',
  speaks: false,
  serves: (method) => ['tools/list', 'tools/call', 'logging/setLevel'].includes(method) || isTaskMethod(method),
  introduction: async (asker, { tasks }) => {
    const capabilities = { tools: {}, logging: {} };
    return {
      about: ownServerInfo,
      capabilities: tasks && (await anyHasTasks(room, asker)) ? { ...capabilities, ...withTasks } : capabilities,
    };
  },
  answer: async (method, params, exchange) => {
    if (method === 'tools/list') return { tools: await allTools(room, exchange) };
    if (method === 'tools/call') return callByName(room, params, exchange);
    if (isTaskMethod(method))
      return answerTask(room, { method, params }, exchange, (name) => usableServer(room, exchange.caller.user, name));
    // Not forwarded, but applied to all servers: messages below the level are dropped here.
    if (method === 'logging/setLevel') return {};
    throw noMethod(method);
  },
  onlyAnswers: (tool, holder, { user }) => {
    const slug = typeof tool === 'string' ? serverOf(tool) : null;
    const server = slug === null || slug === ownName ? null : room.known.server(user.id, slug);
    return server !== null && !(server instanceof Promise) && room.callers.speaksBefore(server, holder);
  },
  serverNamed: (name, { user }) => usableServer(room, user, name),
  toolNamed: async (name, caller) => {
    const own = ownToolIn(name);
    if (own !== null) return { server: ownName, tool: own };
    const found = await find(room, caller, name);
    return found && { server: found.server.name, tool: found.tool.name };
  },
});

async function allTools(room: FrontContext, { caller, holder }: Exchange): Promise<Params[]> {
  const own = (await ownViews(room, caller)).map((tool) => ({
    ...tool,
    name: offeredName(ownName, String(tool.name)),
  }));
  const offers = await openedOffers(room, caller, capabilitiesOfHolder(holder));
  return [...own, ...offers.map(({ server, tool }) => toolView(tool, offeredName(server.name, tool.name)))];
}

async function openedOffers(room: FrontContext, caller: McpCaller, abilities = ''): Promise<UsableTool[]> {
  // A server named `svc` from before the name was reserved is available to runs only.
  return (await room.offers(caller.user.id, abilities)).filter(
    ({ server, tool }) => server.name !== ownName && opensTool(caller, server.name, tool.name),
  );
}

/** Checks the servers whose tools are offered. A server that does not answer counts as having no tasks. */
async function anyHasTasks(room: FrontContext, { caller, signal }: Requester): Promise<boolean> {
  const offers = await openedOffers(room, caller);
  const servers = new Map(offers.map(({ server }) => [server.id, server]));
  const found = [...servers.values()].map((server) =>
    room.sessions.introduction(server, holderFor(server, caller.user.id), signal).then(
      ({ capabilities }) => hasTasks(capabilities),
      (error) => {
        rethrowOwn(error);
        return false;
      },
    ),
  );
  return (await Promise.all(found)).includes(true);
}

export async function callByName(room: FrontContext, params: Params, exchange: Exchange): Promise<Params> {
  const { name } = params;
  if (typeof name !== 'string') throw badParams('name must be a tool name');
  const own = ownToolIn(name);
  if (own !== null) return callOwn(room, { ...params, name: own }, exchange);
  const { caller } = exchange;
  const found = await find(room, caller, name);
  if (!found || !opensTool(caller, found.server.name, found.tool.name))
    throw badParams(`Unknown tool: ${name.slice(0, 128)}`);
  return callAllowed(room, found, params, exchange);
}

const find = (room: FrontContext, caller: McpCaller, name: string): Promise<UsableTool | null> =>
  findTool(room, caller.user, name).catch((error) => {
    if (error instanceof AppError && error.code === 'not_found') return null;
    throw error;
  });

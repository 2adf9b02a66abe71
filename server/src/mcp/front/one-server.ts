import type { ServerCapabilities } from '@modelcontextprotocol/client';
import { table } from '../../lib/table.ts';
import type { Params } from '../connection.ts';
import { describeFault, rethrowOwn } from '../fault.ts';
import { redacted } from '../redact.ts';
import type { McpServer, Offering } from '../store/servers.ts';
import { hasTasks } from '../task-answers.ts';
import { secretsIn } from '../usable-tools.ts';
import { callTool, listTools } from './call-tool.ts';
import { type McpCaller, opensServer } from './caller.ts';
import type { FrontContext } from './context.ts';
import { type Endpoint, type Exchange, internalError, noMethod } from './endpoint.ts';
import { forwardRequest } from './forward-request.ts';
import { mayNeedInput } from './input-rounds.ts';
import { asksInResult, resumableRequest } from './resumable-request.ts';
import { answerTask, isTaskMethod, withTasks } from './tasks.ts';

/** Methods that are forwarded unchanged, and the offering each belongs to. */
const passed = table<Offering>({
  'resources/list': 'resources',
  'resources/templates/list': 'resources',
  'resources/read': 'resources',
  'resources/subscribe': 'resources',
  'resources/unsubscribe': 'resources',
  'prompts/list': 'prompts',
  'prompts/get': 'prompts',
});

/** Methods served for every server; the server itself decides whether it supports them. */
const everywhere = ['tools/list', 'tools/call', 'logging/setLevel'];

/** One server as it is, without tools that were not allowed and offerings that are not enabled. */
export const oneServer = (room: FrontContext, server: McpServer): Endpoint => ({
  name: server.name,
  speaks: true,
  serves: (method) => {
    if (method === 'completion/complete') return server.offers.length > 0;
    return everywhere.includes(method) || isTaskMethod(method) || isPassed(server.offers, method);
  },
  introduction: async ({ caller, holder, signal }, { tasks, listens }) => {
    try {
      const told = await room.callers.introduction(server, holder, signal);
      const { about, capabilities: has, instructions } = redacted(told, secretsIn(room, server, caller.user.id));
      const speaks = listens && about.protocol < '2026';
      const capabilities = passedCapabilities(passedOn(server, caller), has, speaks);
      return { about, instructions, capabilities: { ...capabilities, ...(tasks && hasTasks(has) && withTasks) } };
    } catch (error) {
      rethrowOwn(error);
      throw internalError(
        `The server ${server.name} failed: ${describeFault(error, 'anybody', secretsIn(room, server, caller.user.id))}.`,
      );
    }
  },
  answer: (method, params, exchange) =>
    method === 'tools/call'
      ? callTool(room, server, params, exchange)
      : answerOther(room, server, { method, params }, exchange),
  onlyAnswers: (_, holder) => room.callers.speaksBefore(server, holder),
  serverNamed: (name) => (name === server.name ? server : null),
  toolNamed: async (tool) => ({ server: server.name, tool }),
});

async function answerOther(
  room: FrontContext,
  server: McpServer,
  { method, params }: { method: string; params: Params },
  exchange: Exchange,
): Promise<Params> {
  if (method === 'tools/list') return { tools: await listTools(room, server, exchange) };
  if (method === 'logging/setLevel') return forwardRequest(room, server, { method, params }, exchange);
  if (isTaskMethod(method))
    return answerTask(room, { method, params }, exchange, (name) => (name === server.name ? server : null));
  if (method === 'completion/complete') return complete(room, server, params, exchange);
  if (!isPassed(passedOn(server, exchange.caller), method)) throw noMethod(method);
  const work = async (behind: Exchange) =>
    forCallerAlone(await forwardRequest(room, server, { method, params }, behind));
  if (!mayNeedInput(method) || !asksInResult(exchange)) return work(exchange);
  return resumableRequest(room, { server, what: `${method} ${params.name ?? params.uri}`, params }, exchange, work);
}

/**
 * Revision 2026-07-28, caching: we decide who may use a server, so a result it marks as public is private to this
 * caller.
 */
const forCallerAlone = (result: Params): Params =>
  result.cacheScope === 'public' ? { ...result, cacheScope: 'private' } : result;

/** A token limited to certain tools gives access to no other offering of the server. */
export const passedOn = (server: McpServer, caller: McpCaller): readonly Offering[] =>
  opensServer(caller, server.name) ? server.offers : [];

const isPassed = (offers: readonly Offering[], method: string): boolean => {
  const offering = passed[method];
  return offering !== undefined && offers.includes(offering);
};

/** Completes arguments of prompts and URIs of resources, if that offering is enabled. */
function complete(room: FrontContext, server: McpServer, params: Params, exchange: Exchange): Promise<Params> {
  const method = 'completion/complete';
  const { type } = (params.ref ?? {}) as { type?: unknown };
  const offering = type === 'ref/prompt' ? 'prompts' : 'resources';
  if (!passedOn(server, exchange.caller).includes(offering)) throw noMethod(method);
  return forwardRequest(room, server, { method, params }, exchange);
}

/**
 * Announces subscriptions and list changes only if the client can listen for them. Tool lists change by approval, so
 * `tools` never announces changes.
 */
function passedCapabilities(offers: readonly Offering[], has: ServerCapabilities, speaks: boolean): ServerCapabilities {
  const { subscribe, listChanged } = has.resources ?? {};
  return {
    tools: {},
    ...(has.resources && offers.includes('resources') && { resources: speaks ? { subscribe, listChanged } : {} }),
    ...(has.prompts &&
      offers.includes('prompts') && { prompts: speaks ? { listChanged: has.prompts.listChanged } : {} }),
    ...(has.completions && offers.length > 0 && { completions: {} }),
    ...(has.logging && { logging: {} }),
  };
}

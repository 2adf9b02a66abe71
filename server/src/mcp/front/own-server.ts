import { AppError } from '../../lib/errors.ts';
import type { Params } from '../connection.ts';
import { Bill } from '../recorded-call.ts';
import { argumentsOf, CallOfClient, isFailure } from './call-tool.ts';
import { type McpCaller, opensTool } from './caller.ts';
import type { FrontContext, OwnTool, OwnTools } from './context.ts';
import { badParams, type Endpoint, type Exchange, noMethod } from './endpoint.ts';

/** The name of our own server; reserved, so no connected server can have it. */
export const ownName = 'svc';

/** The name of our own tool within a `server__tool` name; null if it belongs to another server. */
export const ownToolIn = (name: string): string | null =>
  name.startsWith(`${ownName}__`) ? name.slice(ownName.length + 2) : null;

/** How this service introduces itself to clients. */
export const ownServerInfo = { name: 'svc', version: '1', protocol: '' };

/** Serves only our own tools. */
export const ownServer = (room: FrontContext): Endpoint => ({
  name: ownName,
  speaks: false,
  serves: (method) => method === 'tools/list' || method === 'tools/call',
  introduction: async () => ({ about: ownServerInfo, capabilities: { tools: {} } }),
  answer: async (method, params, exchange) => {
    if (method === 'tools/list') return { tools: await ownViews(room, exchange.caller) };
    if (method === 'tools/call') return callOwn(room, params, exchange);
    throw noMethod(method);
  },
  onlyAnswers: () => false,
  serverNamed: () => null,
  toolNamed: async (tool) => ({ server: ownName, tool }),
});

/** Empty for a token that may not spend, since each of these tools spends the user's quota. */
export async function ownViews({ own }: FrontContext, caller: McpCaller): Promise<Params[]> {
  try {
    await caller.asPayer();
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return [];
    throw error;
  }
  return opened(own, caller).map((tool) => ({ ...tool }));
}

const opened = (own: OwnTools, caller: McpCaller): OwnTool[] =>
  own.list().filter(({ name }) => opensTool(caller, ownName, name));

export function callOwn(room: FrontContext, params: Params, exchange: Exchange): Promise<Params> {
  const { name } = params;
  if (typeof name !== 'string' || !opened(room.own, exchange.caller).some((tool) => tool.name === name))
    throw badParams(`Unknown tool: ${String(name).slice(0, 128)}`);
  const bill = new Bill(room, new CallOfClient({ id: null, name: ownName }, name, exchange));
  return bill.noted(callOpened(room, name, params, exchange), isFailure);
}

const callOpened = async ({ own }: FrontContext, name: string, params: Params, exchange: Exchange): Promise<Params> =>
  own.call(name, argumentsOf(params), exchange);

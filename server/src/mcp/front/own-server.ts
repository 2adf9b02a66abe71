import { AppError } from '../../lib/errors.ts';
import type { Params } from '../connection.ts';
import { argumentsOf, noted } from './call-tool.ts';
import type { McpCaller } from './caller.ts';
import type { FrontRoom } from './room.ts';
import { badParams, type Exchange, noMethod, type Served } from './served.ts';

/** The name under which our own tools are served, and which no server of others can have. */
export const ownName = 'svc';

/** As we call ourselves to clients. */
export const us = { name: 'svc', version: '1', protocol: '' };

/** Our own tools alone. */
export const ownServer = (room: FrontRoom): Served => ({
  serves: (method) => method === 'tools/list' || method === 'tools/call',
  introduction: async () => ({ about: us, capabilities: { tools: {} } }),
  answer: async (method, params, exchange) => {
    if (method === 'tools/list') return { tools: await ownViews(room, exchange.caller) };
    if (method === 'tools/call') return callOwn(room, params, exchange);
    throw noMethod(method);
  },
});

/** None for a token that may not spend: each of them uses what is the user's. */
export async function ownViews({ own }: FrontRoom, caller: McpCaller): Promise<Params[]> {
  try {
    await caller.asPayer();
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return [];
    throw error;
  }
  return own.list().map((tool) => ({ ...tool }));
}

export function callOwn(room: FrontRoom, params: Params, exchange: Exchange): Promise<Params> {
  const { name } = params;
  if (typeof name !== 'string' || !room.own.list().some((tool) => tool.name === name))
    throw badParams(`Unknown tool: ${String(name).slice(0, 128)}`);
  const called = { server: { id: null, name: ownName }, tool: name };
  return noted(room, called, exchange, async () => room.own.call(name, argumentsOf(params), exchange));
}

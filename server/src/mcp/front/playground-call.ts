import type { User } from '../../identity/user.ts';
import { AppError } from '../../lib/errors.ts';
import type { Params } from '../connection.ts';
import { findTool } from '../usable-tools.ts';
import { callByName } from './all-servers.ts';
import type { FrontContext } from './context.ts';
import { type Exchange, RpcError } from './endpoint.ts';
import { ownToolIn } from './own-server.ts';

/** Outcome of a call: a result, or a JSON-RPC error. */
export interface PlaygroundCall {
  result: Params | null;
  error: { code: number; message: string; data?: unknown } | null;
  durationMs: number;
}

/** Calls a tool for a person on a page, by the name the tool is offered under. */
export async function callFromPlayground(
  room: FrontContext,
  { name, args }: { name: string; args: Params },
  exchange: Exchange,
): Promise<PlaygroundCall> {
  await requireTool(room, name, exchange.caller.user);
  const startedMs = room.clock.steadyMs();
  const durationMs = () => Math.round(room.clock.steadyMs() - startedMs);
  try {
    const result = await callByName(room, { name, arguments: args }, exchange);
    return { result, error: null, durationMs: durationMs() };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const { code, message, data } = error;
    return { result: null, error: { code, message, ...(data !== undefined && { data }) }, durationMs: durationMs() };
  }
}

async function requireTool(room: FrontContext, name: string, user: User): Promise<void> {
  const own = ownToolIn(name);
  if (own === null) await findTool(room, user, name);
  else if (!room.own.list().some((tool) => tool.name === own))
    throw new AppError('not_found', `there is no tool ${name}`);
}

import { refusalOf } from '../approvals.ts';
import type { Params } from '../connection.ts';
import { isAsApproved } from '../definition.ts';
import { tellFault } from '../fault.ts';
import { secretsIn } from '../offers.ts';
import { holderFor } from '../sessions.ts';
import type { McpServer } from '../store/servers.ts';
import { type AllowedTool, allowedTool, allowedTools } from '../store/tools.ts';
import { pass } from './pass.ts';
import type { CalledTool, FrontRoom } from './room.ts';
import { badParams, type Exchange, ownFault, toolFailure } from './served.ts';

/** Those that are allowed and still as they were approved, in the words that were. */
export async function listTools(room: FrontRoom, server: McpServer, exchange: Exchange): Promise<Params[]> {
  const allowed = await allowedTools(room.db, [server.id]);
  if (allowed.length === 0) return [];
  const definitions = await definitionsOf(room, server, exchange);
  return allowed.filter((tool) => isAsApproved(definitions, tool)).map((tool) => toolView(tool, tool.name));
}

/** A tool as clients are told of it. */
export const toolView = (tool: AllowedTool, name: string): Params => ({
  name,
  ...(tool.description !== '' && { description: tool.description }),
  inputSchema: tool.inputSchema,
  ...tool.further,
});

async function definitionsOf(room: FrontRoom, server: McpServer, { caller, signal }: Exchange) {
  try {
    return (await room.sessions.listing(server, holderFor(server, caller.user.id), signal)).definitions;
  } catch (error) {
    throw ownFault(`The server ${server.name} failed: ${tellFault(error, 'anybody', secretsIn(room, server))}.`);
  }
}

/** By the name that the server itself gives it. */
export async function callTool(
  room: FrontRoom,
  server: McpServer,
  params: Params,
  exchange: Exchange,
): Promise<Params> {
  const tool = typeof params.name === 'string' ? await allowedTool(room.db, server.id, params.name) : undefined;
  if (!tool) throw badParams(`Unknown tool: ${String(params.name).slice(0, 128)}`);
  return callAllowed(room, { server, tool }, params, exchange);
}

/** A call that was allowed once, if nothing has changed since and the person who is to be asked agrees. */
export function callAllowed(
  room: FrontRoom,
  { server, tool }: { server: McpServer; tool: AllowedTool },
  params: Params,
  exchange: Exchange,
): Promise<Params> {
  const called = { server: { id: server.id, name: server.name }, tool: tool.name };
  return noted(room, called, exchange, async () => {
    if (!isAsApproved(await definitionsOf(room, server, exchange), tool))
      return toolFailure(`${tool.name} was not called: the server has changed or removed it since it was approved.`);
    if (tool.askFirst) {
      const userId = exchange.caller.user.id;
      const asked = { userId, server, tool: tool.name, arguments: argumentsOf(params) };
      const refusal = await refusalOf(room, asked, room.baseUrl);
      if (refusal !== null) return toolFailure(refusal);
    }
    return pass(room, server, { method: 'tools/call', params: { ...params, name: tool.name }, tool }, exchange);
  });
}

export function argumentsOf({ arguments: given = {} }: Params): Params {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw badParams('arguments must be an object');
  return given as Params;
}

/** However it ends, it is told of. */
export async function noted(
  room: Pick<FrontRoom, 'clock' | 'note'>,
  called: Pick<CalledTool, 'server' | 'tool'>,
  exchange: Exchange,
  work: () => Promise<Params>,
): Promise<Params> {
  const startedMs = room.clock.steadyMs();
  const note = (status: CalledTool['status']) => {
    const { caller, holder, origin, requestId, signal } = exchange;
    const asker = { caller, holder, origin, requestId, signal };
    room.note({ ...called, asker, status, durationMs: room.clock.steadyMs() - startedMs });
  };
  try {
    const result = await work();
    note(result.isError === true ? 'error' : 'ok');
    return result;
  } catch (error) {
    note(exchange.signal.aborted ? 'aborted' : 'error');
    throw error;
  }
}

import { abilitiesOf } from '../abilities.ts';
import { approveAgain, refusalOf } from '../approvals.ts';
import type { CalledTool } from '../called-tool.ts';
import type { Params } from '../connection.ts';
import { type Definition, isAsApproved, notAsApproved } from '../definition.ts';
import { tellFault } from '../fault.ts';
import { type NotedCall, noted, tooOften, unpaid } from '../noted.ts';
import { type Offer, secretsIn } from '../offers.ts';
import type { McpServer } from '../store/servers.ts';
import { type AllowedTool, allowedTools } from '../store/tools.ts';
import { listedTo } from '../target.ts';
import { opensTool } from './caller.ts';
import { goingOn } from './going-on.ts';
import { requireRepeated } from './param-headers.ts';
import { pass } from './pass.ts';
import type { FrontRoom } from './room.ts';
import { wantsToKnow } from './rounds.ts';
import { badParams, type Exchange, hasLeft, ownFault, toolFailure } from './served.ts';
import { begunTask } from './tasks.ts';

/** Those that are allowed and still as they were approved, in the words that were. */
export async function listTools(room: FrontRoom, server: McpServer, exchange: Exchange): Promise<Params[]> {
  const allowed = await openedTools(room, server, exchange);
  if (allowed.length === 0) return [];
  const definitions = await definitionsOf(room, server, exchange, abilitiesOf(exchange.holder));
  return allowed.filter((tool) => isAsApproved(definitions, tool)).map((tool) => toolView(tool, tool.name));
}

/** Of those that are allowed, the ones that the caller's token opens. */
async function openedTools({ db }: FrontRoom, server: McpServer, { caller }: Exchange): Promise<AllowedTool[]> {
  const allowed = await allowedTools(db, [server.id]);
  return allowed.filter(({ name }) => opensTool(caller, server.name, name));
}

/** A tool as clients are told of it. */
export const toolView = (tool: AllowedTool, name: string): Params => ({
  name,
  ...(tool.description !== '' && { description: tool.description }),
  inputSchema: tool.inputSchema,
  ...tool.further,
});

/** Most tools are listed to anybody; what is not is looked for among what is listed to such a client. */
async function isApproved(room: FrontRoom, { server, tool }: Offer, exchange: Exchange): Promise<boolean> {
  if (isAsApproved(await definitionsOf(room, server, exchange), tool)) return true;
  const abilities = abilitiesOf(exchange.holder);
  return abilities !== '' && isAsApproved(await definitionsOf(room, server, exchange, abilities), tool);
}

async function definitionsOf(
  room: FrontRoom,
  server: McpServer,
  exchange: Exchange,
  abilities = '',
): Promise<Definition[]> {
  try {
    const holder = listedTo(server, exchange.caller.user.id, abilities);
    const known = room.sessions.listed(server, holder);
    return (known ?? (await room.sessions.listing(server, holder, exchange.signal))).definitions;
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
  const { name } = params;
  const opened = typeof name === 'string' && opensTool(exchange.caller, server.name, name);
  const tool = opened ? await room.known.tool(server.id, name) : null;
  if (!tool) throw badParams(`Unknown tool: ${String(params.name).slice(0, 128)}`);
  return callAllowed(room, { server, tool }, params, exchange);
}

/** A call that was allowed once, if nothing has changed since and the person who is to be asked agrees. */
export async function callAllowed(
  room: FrontRoom,
  { server, tool }: Offer,
  params: Params,
  exchange: Exchange,
): Promise<Params> {
  requireRepeated(tool.inputSchema, params.arguments, exchange.headers);
  const work = (behind: Exchange) => callNoted(room, { server, tool }, params, behind);
  return goingOn(room, { server, what: tool.name, params }, exchange, work);
}

async function callNoted(
  room: FrontRoom,
  { server, tool }: Offer,
  params: Params,
  exchange: Exchange,
): Promise<Params> {
  const called = { server: { id: server.id, name: server.name }, tool: tool.name };
  return noted(room, callOf(called, exchange), isFailure, async (bill) => {
    if (!(await isApproved(room, { server, tool }, exchange))) return toolFailure(notAsApproved(tool.name));
    const busy = server.callsPerMinute > 0 ? await tooOften(room, server) : null;
    if (busy !== null) return toolFailure(busy);
    const short = tool.price > 0 ? await bill.hold(tool.price).then(() => null, unpaid) : null;
    if (short !== null) return toolFailure(`${tool.name} was not called: ${short}`);
    const asksFirst = tool.askFirst && !exchange.caller.inPerson;
    const { id: userId } = exchange.caller.user;
    const asked = asksFirst ? { userId, server, tool: tool.name, arguments: argumentsOf(params) } : null;
    const refusal = asked && (await refusalOf(room, asked, room.webUrl));
    if (refusal !== null) return toolFailure(refusal);
    bill.begin();
    const passed = params.name === tool.name ? params : { ...params, name: tool.name };
    const answer = await pass(room, server, { method: 'tools/call', params: passed, tool }, exchange);
    if (wantsToKnow(answer)) {
      // It is called once more with the answers: that is paid for, and was approved with the first.
      bill.fail();
      if (asked) await approveAgain(room, asked);
    }
    if (answer.resultType !== 'task') return answer;
    return begunTask(room, { server, tool: tool.name, params }, answer, exchange);
  });
}

export function argumentsOf({ arguments: given = {} }: Params): Params {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw badParams('arguments must be an object');
  return given as Params;
}

/** Of a call that came from outside, what is told of it and who pays. */
export const callOf = (called: Pick<CalledTool, 'server' | 'tool'>, exchange: Exchange): NotedCall => ({
  ...called,
  userId: exchange.caller.user.id,
  keyId: exchange.caller.keyId,
  origin: exchange.origin,
  requestId: exchange.requestId,
  left: () => hasLeft(exchange),
  payer: async () => {
    const { user, keyId, unlimited } = await exchange.caller.asPayer();
    return { userId: user.id, keyId, keyUnlimited: unlimited };
  },
});

export const isFailure = ({ isError }: Params): boolean => isError === true;

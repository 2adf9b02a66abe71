import type { Origin } from '../../identity/audit/log.ts';
import { abilitiesOf } from '../abilities.ts';
import { approveAgain, refusalOf } from '../approvals.ts';
import type { CalledTool, Payer } from '../called-tool.ts';
import type { Params } from '../connection.ts';
import { type Definition, isAsApproved, notAsApproved } from '../definition.ts';
import { tellFault } from '../fault.ts';
import { Bill, type NotedCall, tooOften, unpaid } from '../noted.ts';
import { type Offer, secretsIn } from '../offers.ts';
import type { McpServer } from '../store/servers.ts';
import { type AllowedTool, allowedTools } from '../store/tools.ts';
import { holderFor, listedTo } from '../target.ts';
import { opensTool } from './caller.ts';
import { goingOn, isAskedWithin } from './going-on.ts';
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

/** Where that is known at once, which it mostly is. */
function isKnownApproved(room: FrontRoom, { server, tool }: Offer, { caller }: Exchange): boolean {
  const known = room.sessions.listed(server, holderFor(server, caller.user.id));
  return known !== null && isAsApproved(known.definitions, tool);
}

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
export function callTool(room: FrontRoom, server: McpServer, params: Params, exchange: Exchange): Promise<Params> {
  const { name } = params;
  const opened = typeof name === 'string' && opensTool(exchange.caller, server.name, name);
  const tool = opened ? room.known.tool(server.id, name) : null;
  return tool instanceof Promise
    ? callLookedUp(room, server, tool, params, exchange)
    : callIfThere(room, server, tool, params, exchange);
}

async function callLookedUp(
  room: FrontRoom,
  server: McpServer,
  tool: Promise<AllowedTool | null>,
  params: Params,
  exchange: Exchange,
): Promise<Params> {
  return callIfThere(room, server, await tool, params, exchange);
}

function callIfThere(
  room: FrontRoom,
  server: McpServer,
  tool: AllowedTool | null,
  params: Params,
  exchange: Exchange,
): Promise<Params> {
  if (!tool) throw badParams(`Unknown tool: ${String(params.name).slice(0, 128)}`);
  return callAllowed(room, { server, tool }, params, exchange);
}

/** A call that was allowed once, if nothing has changed since and the person who is to be asked agrees. */
export function callAllowed(room: FrontRoom, offer: Offer, params: Params, exchange: Exchange): Promise<Params> {
  requireRepeated(offer.tool.inputSchema, params.arguments, exchange.headers);
  return isAskedWithin(exchange)
    ? callGoingOn(room, offer, params, exchange)
    : callNoted(room, offer, params, exchange);
}

function callGoingOn(room: FrontRoom, offer: Offer, params: Params, exchange: Exchange): Promise<Params> {
  const work = (behind: Exchange) => callNoted(room, offer, params, behind);
  return goingOn(room, { server: offer.server, what: offer.tool.name, params }, exchange, work);
}

function callNoted(room: FrontRoom, offer: Offer, params: Params, exchange: Exchange): Promise<Params> {
  const bill = new Bill(room, new CallOfClient(offer.server, offer.tool.name, exchange));
  return bill.noted(callBilled(room, offer, params, exchange, bill), isFailure);
}

async function callBilled(
  room: FrontRoom,
  offer: Offer,
  params: Params,
  exchange: Exchange,
  bill: Bill,
): Promise<Params> {
  const { server, tool } = offer;
  if (!isKnownApproved(room, offer, exchange) && !(await isApproved(room, offer, exchange)))
    return toolFailure(notAsApproved(tool.name));
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
}

export function argumentsOf({ arguments: given = {} }: Params): Params {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw badParams('arguments must be an object');
  return given as Params;
}

/** Of a call that came from outside, what is told of it and who pays. */
export class CallOfClient implements NotedCall {
  readonly userId: number;
  readonly keyId: number | null;
  readonly origin: Origin;
  readonly requestId: string;

  constructor(
    readonly server: CalledTool['server'],
    readonly tool: string,
    private readonly exchange: Exchange,
  ) {
    this.userId = exchange.caller.user.id;
    this.keyId = exchange.caller.keyId;
    this.origin = exchange.origin;
    this.requestId = exchange.requestId;
  }

  left(): boolean {
    return hasLeft(this.exchange);
  }

  async payer(): Promise<Payer> {
    const { user, keyId, unlimited } = await this.exchange.caller.asPayer();
    return { userId: user.id, keyId, keyUnlimited: unlimited };
  }
}

export const isFailure = ({ isError }: Params): boolean => isError === true;

import type { Origin } from '../../identity/audit/log.ts';
import { isObject } from '../../lib/is-object.ts';
import { type AskedCall, approveAgain, refusalOf } from '../approvals.ts';
import { askerOf } from '../asker.ts';
import type { CalledTool, Payer } from '../called-tool.ts';
import { capabilitiesOfHolder } from '../client-capabilities.ts';
import type { Params } from '../connection.ts';
import { type Definition, isAsApproved, notAsApproved } from '../definition.ts';
import { describeFault, rethrowOwn } from '../fault.ts';
import { Bill, paymentRefusal, type RecordedCall, rateLimitRefusal } from '../recorded-call.ts';
import type { McpServer } from '../store/servers.ts';
import { type AllowedTool, allowedTools } from '../store/tools.ts';
import { holderFor, listingHolder } from '../target.ts';
import { secretsIn, type UsableTool } from '../usable-tools.ts';
import { opensTool } from './caller.ts';
import type { FrontContext } from './context.ts';
import { badParams, type Exchange, hasDisconnected, internalError, toolFailure } from './endpoint.ts';
import { type ForwardedRequest, forwardRequest } from './forward-request.ts';
import { needsInput } from './input-rounds.ts';
import { requireRepeated } from './param-headers.ts';
import { asksInResult, resumableRequest } from './resumable-request.ts';
import { begunTask } from './tasks.ts';

/** The allowed tools whose definition is still the approved one, as they were approved. */
export async function listTools(room: FrontContext, server: McpServer, exchange: Exchange): Promise<Params[]> {
  const allowed = await openedTools(room, server, exchange);
  if (allowed.length === 0) return [];
  const definitions = await definitionsOf(room, server, exchange, capabilitiesOfHolder(exchange.holder));
  return allowed.filter((tool) => isAsApproved(definitions, tool)).map((tool) => toolView(tool, tool.name));
}

/** The allowed tools that are within the scopes of the caller's token. */
async function openedTools({ db }: FrontContext, server: McpServer, { caller }: Exchange): Promise<AllowedTool[]> {
  const allowed = await allowedTools(db, [server.id]);
  return allowed.filter(({ name }) => opensTool(caller, server.name, name));
}

/** A tool as shown to clients. */
export const toolView = (tool: AllowedTool, name: string): Params => ({
  name,
  ...(tool.description !== '' && { description: tool.description }),
  inputSchema: tool.inputSchema,
  ...tool.further,
});

/** Synchronous fast path: true if the cached listing shows the approved definition, as it mostly does. */
function isKnownApproved(room: FrontContext, { server, tool }: UsableTool, { caller }: Exchange): boolean {
  const known = room.sessions.listed(server, holderFor(server, caller.user.id));
  return known !== null && isAsApproved(known.definitions, tool);
}

/**
 * Most tools are listed to every client; the others are looked up in the listing for clients with the same
 * capabilities.
 */
async function isApproved(room: FrontContext, { server, tool }: UsableTool, exchange: Exchange): Promise<boolean> {
  if (isAsApproved(await definitionsOf(room, server, exchange), tool)) return true;
  const abilities = capabilitiesOfHolder(exchange.holder);
  return abilities !== '' && isAsApproved(await definitionsOf(room, server, exchange, abilities), tool);
}

async function definitionsOf(
  room: FrontContext,
  server: McpServer,
  exchange: Exchange,
  abilities = '',
): Promise<Definition[]> {
  try {
    const holder = listingHolder(server, exchange.caller.user.id, abilities);
    const known = room.sessions.listed(server, holder);
    return (known ?? (await room.sessions.listing(server, holder, exchange.signal))).definitions;
  } catch (error) {
    rethrowOwn(error);
    throw internalError(
      `The server ${server.name} failed: ${describeFault(error, 'anybody', secretsIn(room, server, exchange.caller.user.id))}.`,
    );
  }
}

/** Calls a tool by its name on the server. */
export function callTool(room: FrontContext, server: McpServer, params: Params, exchange: Exchange): Promise<Params> {
  const { name } = params;
  const opened = typeof name === 'string' && opensTool(exchange.caller, server.name, name);
  const tool = opened ? room.known.tool(server.id, name) : null;
  return tool instanceof Promise
    ? callLookedUp(room, server, tool, params, exchange)
    : callIfThere(room, server, tool, params, exchange);
}

async function callLookedUp(
  room: FrontContext,
  server: McpServer,
  tool: Promise<AllowedTool | null>,
  params: Params,
  exchange: Exchange,
): Promise<Params> {
  return callIfThere(room, server, await tool, params, exchange);
}

function callIfThere(
  room: FrontContext,
  server: McpServer,
  tool: AllowedTool | null,
  params: Params,
  exchange: Exchange,
): Promise<Params> {
  if (!tool) throw badParams(`Unknown tool: ${String(params.name).slice(0, 128)}`);
  return callAllowed(room, { server, tool }, params, exchange);
}

/**
 * Calls an allowed tool, provided its definition is still the approved one and the person to be asked, if any, agrees.
 */
export function callAllowed(
  room: FrontContext,
  offer: UsableTool,
  params: Params,
  exchange: Exchange,
): Promise<Params> {
  requireRepeated(offer.tool.inputSchema, params.arguments, exchange.headers);
  return asksInResult(exchange) ? callGoingOn(room, offer, params, exchange) : callNoted(room, offer, params, exchange);
}

function callGoingOn(room: FrontContext, offer: UsableTool, params: Params, exchange: Exchange): Promise<Params> {
  const work = (behind: Exchange) => callNoted(room, offer, params, behind);
  return resumableRequest(room, { server: offer.server, what: offer.tool.name, params }, exchange, work);
}

async function callNoted(room: FrontContext, offer: UsableTool, params: Params, exchange: Exchange): Promise<Params> {
  const bill = new Bill(room, new CallOfClient(offer.server, offer.tool.name, exchange));
  let result: Params;
  try {
    const refusal = isCalledAtOnce(room, offer, exchange)
      ? null
      : await refusalFirst(room, offer, params, exchange, bill);
    if (refusal === null) {
      bill.begin();
      const answer = await forwardRequest(room, offer.server, passedOf(offer.tool, params), exchange);
      // Do not charge this call: it will be repeated with the requested input, and that call is charged.
      if (needsInput(answer)) bill.fail();
      result = isWhole(answer)
        ? shownTo(exchange, offer.tool, answer)
        : await unfinished(room, offer, params, exchange, answer);
    } else result = toolFailure(refusal);
  } catch (error) {
    await bill.failed();
    throw error;
  }
  const paid = bill.ended(isFailure(result));
  if (paid) await paid;
  return result;
}

/** True if no lookup, limit, payment or approval has to be awaited, as is usual. */
const isCalledAtOnce = (room: FrontContext, offer: UsableTool, exchange: Exchange): boolean =>
  isKnownApproved(room, offer, exchange) &&
  offer.server.callsPerMinute === 0 &&
  offer.tool.price === 0 &&
  !asksFirst(offer, exchange);

const asksFirst = ({ tool }: UsableTool, { caller }: Exchange): boolean => tool.askFirst && !caller.inPerson;

/** Why the tool is not called, as text for the model; null if it may be called. */
async function refusalFirst(
  room: FrontContext,
  offer: UsableTool,
  params: Params,
  exchange: Exchange,
  bill: Bill,
): Promise<string | null> {
  const { server, tool } = offer;
  if (!(await isApproved(room, offer, exchange))) return notAsApproved(tool.name);
  const busy = await rateLimitRefusal(room, server);
  if (busy !== null) return busy;
  const short = await bill.hold(tool.price).then(() => null, paymentRefusal);
  if (short !== null) return `${tool.name} was not called: ${short}`;
  return asksFirst(offer, exchange) ? refusalOf(room, approvalOf(offer, params, exchange), room.webUrl) : null;
}

/** The call as shown to the person who approves it. */
const approvalOf = ({ server, tool }: UsableTool, params: Params, { caller }: Exchange): AskedCall => ({
  ...{ userId: caller.user.id, server, tool: tool.name, arguments: argumentsOf(params) },
  askedBy: askerOf(caller),
});

const passedOf = (tool: AllowedTool, params: Params): ForwardedRequest => ({
  method: 'tools/call',
  params: params.name === tool.name ? params : { ...params, name: tool.name },
  tool,
});

const isWhole = (answer: Params): boolean => !needsInput(answer) && answer.resultType !== 'task';

/** Before revision 2026-07-28, structured results had to be objects: the tool list declares all others as wrapped. */
const shownTo = ({ newest }: Exchange, { further }: AllowedTool, answer: Params): Params =>
  newest === false && answer.structuredContent !== undefined && isWrapped(further?.outputSchema, answer)
    ? { ...answer, structuredContent: { result: answer.structuredContent } }
    : answer;

const isWrapped = (schema: Params | undefined, { structuredContent }: Params): boolean =>
  !isObject(structuredContent) || (schema !== undefined && schema.type !== 'object');

/** The server continues the call as a task, or needs input and has to be called again. */
async function unfinished(
  room: FrontContext,
  offer: UsableTool,
  params: Params,
  exchange: Exchange,
  answer: Params,
): Promise<Params> {
  const { server, tool } = offer;
  if (!needsInput(answer)) return begunTask(room, { server, tool: tool.name, params }, answer, exchange);
  // The approval covers the whole call, including the repetition with the input.
  if (asksFirst(offer, exchange)) await approveAgain(room, approvalOf(offer, params, exchange));
  return answer;
}

export function argumentsOf({ arguments: given = {} }: Params): Params {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw badParams('arguments must be an object');
  return given as Params;
}

/** A client's call, as needed for logging and billing. */
export class CallOfClient implements RecordedCall {
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
    return hasDisconnected(this.exchange);
  }

  async payer(): Promise<Payer> {
    const { user, keyId, unlimited } = await this.exchange.caller.asPayer();
    return { userId: user.id, keyId, keyUnlimited: unlimited };
  }
}

export const isFailure = ({ isError }: Params): boolean => isError === true;

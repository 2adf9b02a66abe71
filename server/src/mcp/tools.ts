import type { CallToolResult } from '@modelcontextprotocol/client';
import type { Origin } from '../identity/audit/log.ts';
import { findUser } from '../identity/store/users.ts';
import type {
  ConnectedTool,
  ConnectedTools,
  HowToCall,
  HowToWait,
  ToolCaller,
  ToolOutcome,
} from '../lib/connected-tools.ts';
import { requestId } from '../lib/ids.ts';
import { asFunctionParameters } from '../lib/object-schema.ts';
import { refusalOf } from './approvals.ts';
import { askerOf } from './asker.ts';
import type { Params } from './connection.ts';
import type { McpContext } from './context.ts';
import { isAsApproved, notAsApproved } from './definition.ts';
import { describeFault, rethrowOwn, withoutSecrets } from './fault.ts';
import { followTask } from './follow-task.ts';
import { openTaskId, sealTaskId } from './front/task-ids.ts';
import { outcomeOf } from './outcome.ts';
import { Bill, paymentRefusal, type RecordedCall, rateLimitRefusal } from './recorded-call.ts';
import { taskSupportMeta } from './request-params.ts';
import type { AllowedTool } from './store/tools.ts';
import { holderFor } from './target.ts';
import { startedTaskOf, type Task, taskIn } from './task-answers.ts';
import { offeredName } from './tool-names.ts';
import { findTool, type ListUsableTools, secretsIn, type UsableTool } from './usable-tools.ts';

export const connectedTools = (room: McpContext, offers: ListUsableTools): ConnectedTools => ({
  list: async (userId) => (await offers(userId)).filter(({ tool }) => isForModels(tool)).map(offered),
  call: async (caller, name, args, how) => {
    how.signal.throwIfAborted();
    const found = await findTool(room, await findUser(room.db, caller.userId), name);
    const bill = new Bill(room, callOf(found, caller, how.signal));
    return bill.noted(callTool(room, found, { caller, args, bill }, how), isError);
  },
  follow: async (caller, name, task, how) => {
    how.signal.throwIfAborted();
    const found = await findTool(room, await findUser(room.db, caller.userId), name);
    const opened = openTaskId(room.sealer, ownerOf(caller), task);
    if (!opened?.isAt(found.server) || opened.tool !== found.tool.name) return null;
    const bill = new Bill(room, callOf(found, caller, how.signal));
    return bill.noted(goOnWith(room, found, { caller, task: opened, bill }, how), isError);
  },
});

/** Extension io.modelcontextprotocol/ui: some tools are only for the server's own page, which is not rendered here. */
function isForModels({ further }: AllowedTool): boolean {
  const { visibility } = (further?._meta?.ui ?? {}) as { visibility?: string[] };
  return visibility?.includes('model') ?? true;
}

const isError = (outcome: ToolOutcome): boolean => outcome.isError;

/** Clients get task names for their own calls too; `through` tells the service's calls apart. */
const ownerOf = ({ userId }: ToolCaller) => ({ user: { id: userId }, through: 'svc' });

/** Calls by a chat or run have no address; the request that started it is recorded separately. */
const nowhere: Origin = { ip: '', userAgent: '' };

const callOf = (
  { server, tool }: UsableTool,
  { userId, keyId, keyUnlimited = true, parentRequestId }: ToolCaller,
  signal: AbortSignal,
): RecordedCall => ({
  ...{ userId, keyId, requestId: requestId(), parentRequestId, origin: nowhere },
  left: () => signal.aborted,
  ...{ server: { id: server.id, name: server.name }, tool: tool.name },
  payer: () => ({ userId, keyId, keyUnlimited }),
});

/** Why the tool is not called: rate limit or insufficient balance. */
async function refusedBefore(room: McpContext, { server, tool }: UsableTool, bill: Bill): Promise<string | null> {
  const busy = await rateLimitRefusal(room, server);
  if (busy !== null) return busy;
  const short = await bill.hold(tool.price).then(() => null, paymentRefusal);
  return short === null ? null : `${tool.name} was not called: ${short}`;
}

interface Asking {
  caller: ToolCaller;
  args: Record<string, unknown>;
  bill: Bill;
}

const offered = ({ server, tool }: UsableTool): ConnectedTool => ({
  name: offeredName(server.name, tool.name),
  description: tool.description,
  parameters: asFunctionParameters(tool.inputSchema),
  askFirst: tool.askFirst,
});

/** The process that began the task ended before the call was charged, so it is charged here. */
async function goOnWith(
  room: McpContext,
  found: UsableTool,
  { caller, task, bill }: { caller: ToolCaller; task: Following; bill: Bill },
  how: HowToWait,
): Promise<ToolOutcome> {
  const short = await bill.hold(found.tool.price).then(() => null, paymentRefusal);
  if (short !== null) return failure(`The result of ${found.tool.name} cannot be returned: ${short}`);
  bill.begin();
  return told(room, found, { caller, bill, begun: true }, how, () => followed(room, found, caller, task, how));
}

async function callTool(
  room: McpContext,
  found: UsableTool,
  { caller, args, bill }: Asking,
  how: HowToCall,
): Promise<ToolOutcome> {
  const refusedFirst = await refusedBefore(room, found, bill);
  if (refusedFirst !== null) return failure(refusedFirst);
  const { server, tool } = found;
  const holder = holderFor(server, caller.userId);
  const deadline = AbortSignal.any([waitingFor(how), AbortSignal.timeout(server.timeoutMs)]);
  const state = { caller, bill, begun: false };
  return told(room, found, state, how, async () => {
    if (!isAsApproved((await room.sessions.listing(server, holder, deadline)).definitions, tool))
      return notAsApproved(tool.name);
    // Checked last, because it uses up the user's approval.
    const asked = { userId: caller.userId, server, tool: tool.name, arguments: args, askedBy: askerOf(caller) };
    const refused = tool.askFirst && !how.approved ? await refusalOf(room, asked, room.webUrl) : null;
    if (refused !== null) return refused;
    state.begun = true;
    bill.begin();
    const answer = await room.sessions.call(server, holder, { tool, args }, deadline);
    const task = taskIn(answer);
    if (!task) return answer;
    const begun = startedTaskOf(task);
    if (!begun) throw new Error('an invalid task');
    await how.goesOn?.(sealTaskId(room.sealer, ownerOf(caller), { server, tool: tool.name, taskId: begun.taskId }));
    return followed(room, found, caller, begun, how);
  });
}

const waitingFor = ({ signal, tooLong }: HowToWait): AbortSignal =>
  tooLong ? AbortSignal.any([signal, tooLong]) : signal;

const isHandedOver = ({ signal, handedOver }: HowToWait): boolean => signal.aborted && (handedOver?.() ?? false);

type Following = Pick<Task, 'taskId' | 'pollIntervalMs'>;

/** Waits as long as the caller allows; each poll has the time limit of a call. */
function followed(
  room: McpContext,
  { server }: UsableTool,
  { userId }: ToolCaller,
  begun: Following,
  how: HowToWait,
): Promise<CallToolResult> {
  const ask = (method: string, params: Params, until: AbortSignal) =>
    room.sessions.ask(
      server,
      holderFor(server, userId),
      { method, params: { ...params, ...taskSupportMeta({}) } },
      { signal: AbortSignal.any([until, AbortSignal.timeout(server.timeoutMs)]) },
    );
  return followTask(begun, { ask, signal: waitingFor(how), isTakenBack: () => !isHandedOver(how) });
}

/**
 * The answer of the server, or its failure, as text for a model; `ask` returns a string if the server was not called.
 */
async function told(
  room: McpContext,
  { server, tool }: UsableTool,
  state: { caller: ToolCaller; bill: Bill; begun: boolean },
  how: HowToWait,
  ask: () => Promise<CallToolResult | string>,
): Promise<ToolOutcome> {
  const secrets = () => secretsIn(room, server, state.caller.userId);
  try {
    const answer = await ask();
    if (typeof answer === 'string') return failure(answer);
    const outcome = outcomeOf(answer);
    return { ...outcome, text: withoutSecrets(outcome.text, secrets()), ...(tool.price > 0 && { cost: tool.price }) };
  } catch (error) {
    if (isHandedOver(how)) state.bill.fail();
    how.signal.throwIfAborted();
    if (!state.begun) rethrowOwn(error);
    const why = describeFault(error, 'anybody', secrets());
    room.log.warn({ server: server.name, tool: tool.name, fault: why }, 'a connected tool failed');
    const known = state.begun ? 'It is not known whether the tool did anything.' : 'The tool was not called.';
    // Without an answer of the server, nothing is charged.
    state.bill.fail();
    return failure(`The server ${server.name} failed: ${why}. ${known}`);
  }
}

const failure = (text: string): ToolOutcome => ({ text, isError: true, cut: false });

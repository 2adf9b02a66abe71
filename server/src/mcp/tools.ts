import type { Origin } from '../identity/audit/log.ts';
import { findUser } from '../identity/store/users.ts';
import type { ConnectedTool, ConnectedTools, ToolCaller, ToolOutcome } from '../lib/connected-tools.ts';
import { requestId } from '../lib/ids.ts';
import { refusalOf } from './approvals.ts';
import { isAsApproved, notAsApproved } from './definition.ts';
import { tellFault, withoutSecrets } from './fault.ts';
import { type Bill, type NotedCall, noted, tooOften, unpaid } from './noted.ts';
import { findTool, type Offer, type Offers, secretsIn } from './offers.ts';
import { outcomeOf } from './outcome.ts';
import type { McpRoom } from './room.ts';
import type { AllowedTool } from './store/tools.ts';
import { holderFor } from './target.ts';
import { offeredName } from './tool-names.ts';

export const connectedTools = (room: McpRoom, offers: Offers): ConnectedTools => ({
  list: async (userId) => (await offers(userId)).filter(({ tool }) => isForModels(tool)).map(offered),
  call: async (caller, name, args, { signal, approved }) => {
    signal.throwIfAborted();
    const found = await findTool(room, await findUser(room.db, caller.userId), name);
    const isError = (outcome: ToolOutcome) => outcome.isError;
    return noted(room, callOf(found, caller, signal), isError, async (bill) => {
      const refused = await refusedBefore(room, found, { caller, args, approved, bill });
      if (refused !== null) return failure(refused);
      const holder = holderFor(found.server, caller.userId);
      return callTool(room, found, { args, holder, bill }, signal);
    });
  },
});

/** Of the extension io.modelcontextprotocol/ui: some tools are for a page of the server's own, which nobody shows here. */
function isForModels({ further }: AllowedTool): boolean {
  const { visibility } = (further?._meta?.ui ?? {}) as { visibility?: string[] };
  return visibility?.includes('model') ?? true;
}

/** A chat's or run's call comes from no address; the request that began it is told of by itself. */
const nowhere: Origin = { ip: '', userAgent: '' };

const callOf = (
  { server, tool }: Offer,
  { userId, keyId, keyUnlimited = true, parentRequestId }: ToolCaller,
  signal: AbortSignal,
): NotedCall => ({
  ...{ userId, keyId, requestId: requestId(), parentRequestId, origin: nowhere },
  left: () => signal.aborted,
  ...{ server: { id: server.id, name: server.name }, tool: tool.name },
  payer: () => ({ userId, keyId, keyUnlimited }),
});

/** Why it is not called: too often, nothing to pay with, or nobody has approved it. */
async function refusedBefore(
  room: McpRoom,
  { server, tool }: Offer,
  { caller, args, approved, bill }: Asking,
): Promise<string | null> {
  const busy = await tooOften(room, server);
  if (busy !== null) return busy;
  const short = await bill.hold(tool.price).then(() => null, unpaid);
  if (short !== null) return `${tool.name} was not called: ${short}`;
  if (!tool.askFirst || approved) return null;
  return refusalOf(room, { userId: caller.userId, server, tool: tool.name, arguments: args }, room.baseUrl);
}

interface Asking {
  caller: ToolCaller;
  args: Record<string, unknown>;
  approved: boolean;
  bill: Bill;
}

const offered = ({ server, tool }: Offer): ConnectedTool => ({
  name: offeredName(server.name, tool.name),
  description: tool.description,
  parameters: tool.inputSchema,
  askFirst: tool.askFirst,
});

async function callTool(
  room: McpRoom,
  { server, tool }: Offer,
  { args, holder, bill }: Pick<Asking, 'args' | 'bill'> & { holder: string },
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const secrets = secretsIn(room, server);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(server.timeoutMs)]);
  let begun = false;
  try {
    if (!isAsApproved((await room.sessions.listing(server, holder, deadline)).definitions, tool))
      return failure(notAsApproved(tool.name));
    begun = true;
    bill.begin();
    const outcome = outcomeOf(await room.sessions.call(server, holder, { tool, args }, deadline));
    return { ...outcome, text: withoutSecrets(outcome.text, secrets), ...(tool.price > 0 && { cost: tool.price }) };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const why = tellFault(error, 'anybody', secrets);
    room.log.warn({ server: server.name, tool: tool.name, fault: why }, 'a connected tool failed');
    const known = begun ? 'It is not known whether the tool did anything.' : 'The tool was not called.';
    // Nothing is paid for what a server did not answer.
    bill.fail();
    return failure(`The server ${server.name} failed: ${why}. ${known}`);
  }
}

const failure = (text: string): ToolOutcome => ({ text, isError: true, cut: false });

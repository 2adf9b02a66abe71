import { findUser } from '../identity/store/users.ts';
import type { ConnectedTool, ConnectedTools, ToolOutcome } from '../lib/connected-tools.ts';
import { isAsApproved } from './definition.ts';
import { tellFault, withoutSecrets } from './fault.ts';
import { findTool, type Offer, type Offers, secretsIn } from './offers.ts';
import { outcomeOf } from './outcome.ts';
import type { McpRoom } from './room.ts';
import { holderFor } from './sessions.ts';
import { offeredName } from './tool-names.ts';

export const connectedTools = (room: McpRoom, offers: Offers): ConnectedTools => ({
  list: async (userId) => (await offers(userId)).map(offered),
  call: async (userId, name, args, signal) => {
    signal.throwIfAborted();
    const found = await findTool(room.db, await findUser(room.db, userId), name);
    return callTool(room, found, { args, holder: holderFor(found.server, userId) }, signal);
  },
});

const offered = ({ server, tool }: Offer): ConnectedTool => ({
  name: offeredName(server.name, tool.name),
  description: tool.description,
  parameters: tool.inputSchema,
  askFirst: tool.askFirst,
});

async function callTool(
  room: McpRoom,
  { server, tool }: Offer,
  { args, holder }: { args: Record<string, unknown>; holder: string },
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const secrets = secretsIn(room, server);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(server.timeoutMs)]);
  let begun = false;
  try {
    if (!isAsApproved((await room.sessions.listing(server, holder, deadline)).definitions, tool))
      return failure(`${tool.name} was not called: the server has changed or removed it since it was approved.`);
    begun = true;
    const outcome = outcomeOf(await room.sessions.call(server, holder, { tool, args }, deadline));
    return { ...outcome, text: withoutSecrets(outcome.text, secrets) };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const why = tellFault(error, 'anybody', secrets);
    room.log.warn({ server: server.name, tool: tool.name, fault: why }, 'a connected tool failed');
    const known = begun ? 'It is not known whether the tool did anything.' : 'The tool was not called.';
    return failure(`The server ${server.name} failed: ${why}. ${known}`);
  }
}

const failure = (text: string): ToolOutcome => ({ text, isError: true, cut: false });

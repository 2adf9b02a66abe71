import { AppError } from '../../lib/errors.ts';
import { capabilitiesOfHolder } from '../client-capabilities.ts';
import type { Params } from '../connection.ts';
import type { McpServer } from '../store/servers.ts';
import { usableServer } from '../usable-tools.ts';
import type { FrontContext } from './context.ts';
import type { Endpoint, Exchange } from './endpoint.ts';
import { forwardAnswer } from './forward-answer.ts';

/** A request to a server. A client that comes back with answers must repeat the same request. */
interface Asked {
  server: McpServer;
  what: string;
  params: Params;
}

/**
 * Clients of the newest revision receive questions as the result of their request, while the request to an older server
 * stays open.
 */
export const asksInResult = ({ newest, holder }: Exchange): boolean =>
  newest === true && capabilitiesOfHolder(holder) !== '';

/** Only for exchanges for which `asksInResult` is true. */
export function resumableRequest(
  room: FrontContext,
  { server, what, params }: Asked,
  exchange: Exchange,
  work: (behind: Exchange) => Promise<Params>,
): Promise<Params> {
  const tell = (id: string, result: Params) => tellServer(room, { id, result }, exchange);
  return room.waiting.answer({ server, what, params }, exchange, { work, tell });
}

/**
 * False if the server could not be reached. A question that is no longer open needs no answer, so it counts as
 * delivered.
 */
async function tellServer(
  room: FrontContext,
  given: { id: string; result: Params },
  asker: Exchange,
): Promise<boolean> {
  const serverNamed: Endpoint['serverNamed'] = (name, { user }) => usableServer(room, user, name);
  try {
    await forwardAnswer(room, { serverNamed }, { jsonrpc: '2.0', ...given }, asker);
    return true;
  } catch (error) {
    if (error instanceof AppError) return error.code !== 'provider_error';
    throw error;
  }
}

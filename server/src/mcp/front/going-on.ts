import { AppError } from '../../lib/errors.ts';
import { abilitiesOf } from '../abilities.ts';
import type { Params } from '../connection.ts';
import { usableServer } from '../offers.ts';
import type { McpServer } from '../store/servers.ts';
import type { FrontRoom } from './room.ts';
import type { Exchange, Served } from './served.ts';
import { takeAnswer } from './take-answer.ts';

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
export const isAskedWithin = ({ newest, holder }: Exchange): boolean => newest === true && abilitiesOf(holder) !== '';

/** Only for exchanges for which `isAskedWithin` is true. */
export function goingOn(
  room: FrontRoom,
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
async function tellServer(room: FrontRoom, given: { id: string; result: Params }, asker: Exchange): Promise<boolean> {
  const serverNamed: Served['serverNamed'] = (name, { user }) => usableServer(room, user, name);
  try {
    await takeAnswer(room, { serverNamed }, { jsonrpc: '2.0', ...given }, asker);
    return true;
  } catch (error) {
    if (error instanceof AppError) return error.code !== 'provider_error';
    throw error;
  }
}

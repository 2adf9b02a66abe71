import { AppError } from '../../lib/errors.ts';
import { abilitiesOf } from '../abilities.ts';
import type { Params } from '../connection.ts';
import { usableServer } from '../offers.ts';
import type { McpServer } from '../store/servers.ts';
import type { FrontRoom } from './room.ts';
import type { Exchange, Served } from './served.ts';
import { takeAnswer } from './take-answer.ts';

/** What is asked of a server, and as what: whoever comes back must mean the same. */
interface Asked {
  server: McpServer;
  what: string;
  params: Params;
}

/** Clients of the newest revision are asked within the answer, while what they asked for goes on where the server is of before. */
export const isAskedWithin = ({ newest, holder }: Exchange): boolean => newest === true && abilitiesOf(holder) !== '';

/** For a client that `isAskedWithin`. */
export function goingOn(
  room: FrontRoom,
  { server, what, params }: Asked,
  exchange: Exchange,
  work: (behind: Exchange) => Promise<Params>,
): Promise<Params> {
  const tell = (id: string, result: Params) => tellServer(room, { id, result }, exchange);
  return room.waiting.answer({ server, what, params }, exchange, { work, tell });
}

/** False where the server could not be told: a question that is over needs no answer. */
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

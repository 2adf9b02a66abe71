import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { tellFault } from '../fault.ts';
import { secretsIn } from '../offers.ts';
import { noQuestion } from './questions.ts';
import type { FrontRoom } from './room.ts';
import type { Asker, Served } from './served.ts';

const answer = z.union([
  z.strictObject({ jsonrpc: z.literal('2.0'), id: z.string(), result: z.looseObject({}) }),
  z.strictObject({
    jsonrpc: z.literal('2.0'),
    id: z.string(),
    error: z.looseObject({ code: z.int(), message: z.string() }),
  }),
]);

/** A message that answers, and asks nothing. */
export const isAnswer = ({ method, id, result, error }: Record<string, unknown>): boolean =>
  method === undefined && id !== undefined && (result !== undefined || error !== undefined);

/** Passes what a client answers on to the server that asked, in the session that it asked in; once, whichever process is told. */
export async function takeAnswer(
  room: FrontRoom,
  served: Pick<Served, 'serverNamed'>,
  message: unknown,
  { caller, holder }: Pick<Asker, 'caller' | 'holder'>,
): Promise<void> {
  const { data } = answer.safeParse(message);
  if (!data) throw new AppError('invalid_request', 'This is no answer as JSON-RPC has them.');
  const question = await room.questions.take(holder, data.id);
  const server = question && (await served.serverNamed(question.server, caller));
  if (!question || !server || !question.isAt(server)) throw noQuestion();
  const heard = await room.callers.tell(server, holder, { ...data, id: question.id }, question.isIn).catch((error) => {
    const why = tellFault(error, 'anybody', secretsIn(room, server));
    room.log.warn({ server: server.name, fault: why }, 'a connected server did not take an answer');
    throw new AppError('provider_error', `The server ${server.name} failed: ${why}.`);
  });
  await room.questions.answered(data.id);
  if (!heard) throw noQuestion();
}

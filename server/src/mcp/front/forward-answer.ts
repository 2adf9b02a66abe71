import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { describeFault, rethrowOwn } from '../fault.ts';
import type { McpServer } from '../store/servers.ts';
import { userOf } from '../target.ts';
import { secretsIn } from '../usable-tools.ts';
import type { FrontContext } from './context.ts';
import type { Endpoint, Requester } from './endpoint.ts';
import { mostCarriedBytes, tooLargeToCarry } from './peers.ts';
import type { OpenedQuestion } from './question-ids.ts';
import { noQuestion } from './questions.ts';

const answer = z.union([
  z.strictObject({ jsonrpc: z.literal('2.0'), id: z.string(), result: z.looseObject({}) }),
  z.strictObject({
    jsonrpc: z.literal('2.0'),
    id: z.string(),
    error: z.looseObject({ code: z.int(), message: z.string() }),
  }),
]);

/** Whether the message is a response rather than a request. */
export const isAnswer = ({ method, id, result, error }: Record<string, unknown>): boolean =>
  method === undefined && id !== undefined && (result !== undefined || error !== undefined);

/**
 * Forwards a client's answer to the server or process that waits for it; only once, in whichever process it arrives.
 */
export async function forwardAnswer(
  room: FrontContext,
  served: Pick<Endpoint, 'serverNamed'>,
  message: unknown,
  { caller, holder }: Pick<Requester, 'caller' | 'holder'>,
): Promise<void> {
  const { data } = answer.safeParse(message);
  if (!data) throw new AppError('invalid_request', 'This is not a JSON-RPC response.');
  const question = await room.questions.take(holder, data.id);
  const server = question && (await served.serverNamed(question.server, caller));
  if (!question || !server || !question.isAt(server)) throw noQuestion();
  const { collectedAt } = question;
  const heard =
    collectedAt === null ? await tell(room, { server, holder, question }, data) : await bring(room, collectedAt, data);
  await room.questions.answered(data.id);
  if (!heard) throw noQuestion();
}

/** Delivers the answer to the process that collects answers for a server that gets all of them at once. */
async function bring(room: FrontContext, at: string, data: z.infer<typeof answer>): Promise<true> {
  const { id, ...given } = data;
  const isSmall = Buffer.byteLength(JSON.stringify(given)) <= mostCarriedBytes;
  if (isSmall && (await room.questions.bring(at, id, given))) return true;
  await room.questions.giveBack(id);
  throw isSmall ? noQuestion() : new AppError('request_too_large', tooLargeToCarry);
}

/** Delivers the answer in the session that the server asked in. If that fails, the client may send it again. */
async function tell(
  room: FrontContext,
  { server, holder, question }: { server: McpServer; holder: string; question: OpenedQuestion },
  data: z.infer<typeof answer>,
): Promise<boolean> {
  try {
    return await room.callers.tell(server, holder, { ...data, id: question.id }, question.isIn);
  } catch (error) {
    await room.questions.giveBack(data.id);
    rethrowOwn(error);
    const why = describeFault(error, 'anybody', secretsIn(room, server, userOf(holder)));
    room.log.warn({ server: server.name, fault: why }, 'a connected server did not accept an answer');
    throw new AppError('provider_error', `The server ${server.name} failed: ${why}.`);
  }
}

import { z } from 'zod';
import { type Params, within } from '../connection.ts';
import { McpFault } from '../fault.ts';
import type { Refusal } from '../server-questions.ts';
import { internalError } from './endpoint.ts';
import type { Given } from './questions.ts';

/** Per call. A server that asks in more rounds than this is treated as abusive. */
const mostRounds = 10;

/** The result of a server of revision 2026-07-28 that needs input first. */
const wanted = z.object({
  inputRequests: z
    .record(z.string(), z.object({ method: z.string(), params: z.record(z.string(), z.unknown()).default({}) }))
    .default({}),
  requestState: z.string().optional(),
});

interface Round {
  /** Returns a refusal if the client cannot be asked, otherwise its answer. */
  inquire(method: string, params: Params): Refusal | Promise<Given>;
  /** Repeats the request with the answers added. */
  again(answers: Params): Promise<Params>;
  /** Created lazily. */
  readonly signal: AbortSignal;
}

/** Revision 2026-07-28: the methods whose result may be a request for input. */
const askedWithin = new Set(['tools/call', 'resources/read', 'prompts/get']);
export const mayNeedInput = (method: string): boolean => askedWithin.has(method);

export const needsInput = ({ resultType }: Params): boolean => resultType === 'input_required';

/**
 * Puts the questions of a server of the newest revision to an older client, and repeats the request with all answers
 * until the server needs no more input.
 */
export async function answerInputRequests(first: Params, round: Round): Promise<Params> {
  let answer = first;
  for (let count = 0; needsInput(answer); count += 1) {
    if (count >= mostRounds) throw new McpFault('it asked too many questions');
    const { inputRequests, requestState } = wanted.parse(answer);
    const inputResponses = await within(round.signal, answersTo(inputRequests, round.inquire));
    answer = await round.again({ inputResponses, ...(requestState !== undefined && { requestState }) });
  }
  return answer;
}

async function answersTo(
  requests: z.infer<typeof wanted>['inputRequests'],
  inquire: Round['inquire'],
): Promise<Params> {
  const asked = Object.entries(requests).map(([key, { method, params }]) => [key, inquire(method, params)] as const);
  if (asked.some(([, given]) => !(given instanceof Promise))) throw cannotBeAsked();
  const given = asked.map(async ([key, one]) => [key, resultOf((await one) as Given)] as const);
  return Object.fromEntries(await Promise.all(given));
}

/** Servers of the newest revision accept only results, so an error from the client ends the call. */
function resultOf({ result, error }: Given): Params {
  if (result) return result;
  throw internalError(`The client did not answer the server's question: ${error?.message ?? ''}`);
}

export const cannotBeAsked = (): Error =>
  internalError('The server asks for something that this revision of the protocol does not allow asking clients.');

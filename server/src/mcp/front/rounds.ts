import { z } from 'zod';
import type { Refusal } from '../asked-back.ts';
import { type Params, within } from '../connection.ts';
import { McpFault } from '../fault.ts';
import type { Given } from './questions.ts';
import { ownFault } from './served.ts';

/** In one call. Whoever wants to know more than this, one thing after another, wants to keep us busy. */
const mostRounds = 10;

/** As servers of the revision 2026-07-28 answer when they need to know something first. */
const wanted = z.object({
  inputRequests: z
    .record(z.string(), z.object({ method: z.string(), params: z.record(z.string(), z.unknown()).default({}) }))
    .default({}),
  requestState: z.string().optional(),
});

interface Round {
  /** Says why the client cannot be asked this, or what it answers. */
  inquire(method: string, params: Params): Refusal | Promise<Given>;
  /** Asks the server once more, with this besides. */
  again(answers: Params): Promise<Params>;
  /** Made when it is asked for. */
  readonly signal: AbortSignal;
}

/** Revision 2026-07-28: what may be answered with questions. */
const askedWithin = new Set(['tools/call', 'resources/read', 'prompts/get']);
export const mayAsk = (method: string): boolean => askedWithin.has(method);

export const wantsToKnow = ({ resultType }: Params): boolean => resultType === 'input_required';

/** Asks a client of before what a server of the newest revision wants to know, as often as it does, and tells it all at once. */
export async function inRounds(first: Params, round: Round): Promise<Params> {
  let answer = first;
  for (let count = 0; wantsToKnow(answer); count += 1) {
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

/** Servers of the newest revision can be told answers alone. */
function resultOf({ result, error }: Given): Params {
  if (result) return result;
  throw ownFault(`The client did not answer what the server asked: ${error?.message ?? ''}`);
}

export const cannotBeAsked = (): Error =>
  ownFault('The server asks for something that clients of this revision of the protocol cannot be asked.');

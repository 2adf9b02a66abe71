import type { Permits } from '../../identity/permits.ts';
import { parseFrame, SseFramer } from '../../lib/sse.ts';
import { toAppError } from '../../platform/http/to-app-error.ts';
import { parseOverride } from '../../routing/override.ts';
import { answerChat } from '../answer-chat.ts';
import { chargeWithAnswer } from '../charge-with-answer.ts';
import { streamed } from '../deliver-stream.ts';
import type { ChargeLater, RelayDeps, RequestContext } from '../deps.ts';
import { refuseForeignTools } from '../providers/kind/foreign-tools.ts';
import { noClientHeaders } from '../request-context.ts';
import { type AnswerBackground, type Attempt, callOf } from '../responses/background.ts';
import type { Item, Owner, ResponseKeeper, ResponseObject } from '../responses/keeper.ts';
import { withoutOffer } from '../web-search.ts';
import type { Json, Sourced } from '../wire/conversation.ts';
import { readModels } from '../wire/model-names.ts';
import { newRenderer } from '../wire/renderers.ts';
import { untilFitting } from '../wire/responses/truncate.ts';
import { optionsOf } from './answer.ts';
import { type MetaModel, type MetaModels, metaModelOf } from './meta-models.ts';
import { readRequest } from './read-responses-request.ts';

const endpoint = '/v1/responses';

/**
 * Answers a background response like any other, with its owner's current rights: the key may have been disabled or
 * restricted since. It is streamed, so that followers see it arrive.
 */
export const backgroundAnswers =
  (deps: RelayDeps, metaModels: MetaModels, keeper: ResponseKeeper, permits: Pick<Permits, 'of'>): AnswerBackground =>
  async (owner, body, attempt) => {
    const caller = await callerOf(permits, owner);
    const { conversation } = await readRequest(deps, keeper, owner, body);
    const context: RequestContext = {
      requestId: attempt.requestId,
      parentRequestId: attempt.id,
      caller,
      endpoint,
      override: parseOverride(body.provider),
      fallbackModels: readModels(body),
      clientHeaders: noClientHeaders,
      // When it was accepted.
      counted: true,
      signal: attempt.signal,
    };
    const meta = metaModelOf(metaModels, conversation);
    const asStream = { ...conversation, stream: true };
    if (meta) return untilFitting(asStream, (asked) => byMeta(deps, meta, context, asked, attempt));
    const ask = (chargeLater: ChargeLater) =>
      untilFitting(asStream, (asked) => byUpstream(deps, { ...context, chargeLater }, asked, attempt));
    return chargeWithAnswer(deps.billing, callOf(attempt.id), attempt.signal, ask, JSON.stringify);
  };

async function callerOf(permits: Pick<Permits, 'of'>, { userId, keyId }: Owner): Promise<RequestContext['caller']> {
  const { group, models, unlimited } = await permits.of({ userId, keyId });
  return { userId, keyId, group, models, keyUnlimited: unlimited };
}

async function byUpstream(
  deps: RelayDeps,
  context: RequestContext,
  conversation: Sourced,
  { id, signal, tell }: Attempt,
): Promise<ResponseObject> {
  let ended: Json | undefined;
  const onEnded = (response: Json) => {
    ended = response;
  };
  const delivery = streamed({ client: 'responses', answerId: id, onEnded });
  const stream = await answerChat(deps, context, conversation, delivery);
  const { error } = await stream.pump(eventReader(tell));
  if (ended) return ended as ResponseObject;
  signal.throwIfAborted();
  throw error ?? new Error('a streamed response did not end');
}

/** Its calls have their own ids; the response id finds them all, of every attempt. */
async function byMeta(
  deps: RelayDeps,
  meta: MetaModel,
  { caller: { userId, group, keyId, models, keyUnlimited }, requestId }: RequestContext,
  given: Sourced,
  { id, epoch, signal, tell }: Attempt,
): Promise<ResponseObject> {
  const conversation = withoutOffer(given);
  refuseForeignTools(conversation);
  let ended: Json | undefined;
  const renderer = newRenderer({
    ...optionsOf(deps, conversation),
    ...{ id, requestId, client: 'responses', includeUsage: true },
    onEnded: (response) => {
      ended = response;
    },
  });
  const read = eventReader(tell);
  const principal = { user: { id: userId, group }, keyId, models, unlimited: keyUnlimited };
  const behind = { parentRequestId: id, calls: { work: id, attempt: '', again: epoch > 1 } };
  try {
    await meta({ requestId: id, principal, behind }, conversation, signal, (delta) => read(renderer.push(delta)));
  } catch (error) {
    if (signal.aborted) throw error;
    renderer.fail(toAppError(error));
    // What was produced until then is stored with the error.
    if (!ended) throw error;
    deps.log.warn({ requestId, error }, 'a background response failed');
  }
  if (!ended) throw new Error('a response did not end');
  return ended as ResponseObject;
}

const encoder = new TextEncoder();

/** Parses what a client would be sent, and emits its events. */
function eventReader(tell: (event: Item) => void): (sent: Uint8Array | string) => void {
  const framer = new SseFramer();
  return (sent) => {
    for (const frame of framer.push(typeof sent === 'string' ? encoder.encode(sent) : sent)) {
      const event = parseFrame(frame);
      if (event) tell(JSON.parse(event.data) as Item);
    }
  };
}

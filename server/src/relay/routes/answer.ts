import { nowSeconds } from '../../lib/clock.ts';
import { randomString, timedString } from '../../lib/ids.ts';
import { eventResponse, type Reshape, type Write } from '../../platform/http/event-stream.ts';
import { json, jsonText, longJson } from '../../platform/http/route.ts';
import { toAppError } from '../../platform/http/to-app-error.ts';
import { parseOverride } from '../../routing/override.ts';
import { answerChat } from '../answer-chat.ts';
import { answerStream, type OpenStream } from '../answer-stream.ts';
import { answerDeltas } from '../cache/answer-deltas.ts';
import { type CachedRequest, cachedRequest, wishesOf } from '../cache/cached-request.ts';
import { isNotStored } from '../cache/is-cacheable.ts';
import { ContentRecorder, watchedBy } from '../content-recorder.ts';
import { streamed } from '../deliver-stream.ts';
import { largeLetters, whole } from '../deliver-whole.ts';
import type { RelayDeps, RequestContext } from '../deps.ts';
import { refuseForeignTools } from '../providers/kind/foreign-tools.ts';
import { contextOf, type KeyCall } from '../request-context.ts';
import { untilStopped } from '../stopping.ts';
import { leavesSearchOut, searchLeftOut, withoutOffer } from '../web-search.ts';
import { type RenderOptions, renamedChatText, renderChatAnswer } from '../wire/chat/answer.ts';
import { renderCohereAnswer } from '../wire/cohere/answer.ts';
import { completionOf, echoOf, newCompletionId } from '../wire/completions/answer.ts';
import { completionRenderer, completionStream } from '../wire/completions/stream.ts';
import type { Answer, Json, Sourced, TextCompletion, WireFormat } from '../wire/conversation.ts';
import { renamedGeminiText, renderGeminiAnswer } from '../wire/gemini/answer.ts';
import { renderMessagesAnswer } from '../wire/messages/answer.ts';
import { readModels } from '../wire/model-names.ts';
import { newRenderer, type StreamClient } from '../wire/renderers.ts';
import { renderResponsesAnswer } from '../wire/responses/answer.ts';
import type { ResponseOptions } from '../wire/responses/response.ts';
import { tell } from './json-endpoint.ts';
import { followMeta, type MetaModel, type MetaModels, metaModelOf } from './meta-models.ts';
import { StoreBeforeEnd, type StoreResponse, storedText } from './store-before-end.ts';

type Options = RenderOptions & ResponseOptions;

interface Format {
  newId(): string;
  render(answer: Answer, options: Options): Json;
  /** The upstream's own text, if only the model name has to change. */
  renamed?(text: string, body: Json, model: string): string | null;
}

const formats: Record<WireFormat, Format> = {
  chat: { newId: () => `chatcmpl-${randomString(24)}`, render: renderChatAnswer, renamed: renamedChatText },
  messages: { newId: () => `msg_${randomString(24)}`, render: renderMessagesAnswer },
  responses: { newId: () => `resp_${timedString(32)}`, render: renderResponsesAnswer },
  gemini: { newId: () => randomString(24), render: renderGeminiAnswer, renamed: renamedGeminiText },
};

interface Manner {
  /** Stores the response before the caller gets its end. */
  keep?: StoreResponse | undefined;
  /** For clients that asked for something other than events, or cannot read all of them. */
  reshape?: Reshape | undefined;
  /** Observes the answer, if it may be stored. */
  seen?: ContentRecorder | undefined;
}

/** A text completion is a chat rendered differently. */
const completionFormat = (completion: TextCompletion): Format => ({
  newId: newCompletionId,
  render: (answer, options) =>
    completionOf(renderChatAnswer(answer, options), { ...options, echo: echoOf(completion) }),
});

/** So is Cohere's format. */
const cohereFormat: Format = { newId: () => crypto.randomUUID(), render: renderCohereAnswer };

function formatOf({ source, completion, cohere }: Sourced): Format {
  if (cohere) return cohereFormat;
  return completion ? completionFormat(completion) : formats[source.format];
}

/** Answers a conversation in its own format, whole or streamed, by a built-in model or an upstream. */
export function answer(
  deps: RelayDeps,
  metaModels: MetaModels,
  call: KeyCall,
  endpoint: string,
  conversation: Sourced,
  manner: Manner = {},
): Promise<Response> {
  const meta = metaModelOf(metaModels, conversation);
  // Built-in models may work for minutes before the first output.
  if (meta) {
    call.arrived?.();
    const asked = withoutOffer(conversation);
    if (leavesSearchOut(conversation, asked)) call.headers[searchLeftOut[0]] = searchLeftOut[1];
    refuseForeignTools(asked);
    return asked.stream
      ? streamByMeta(deps, meta, call, asked, manner)
      : answerByMeta(deps, meta, call, asked, manner.keep);
  }
  if (deps.contents?.on()) return answerSeen(deps, call, endpoint, conversation, manner);
  return answerUnseen(deps, call, endpoint, conversation, manner);
}

const answerUnseen: AnswerByUpstream = (deps, call, endpoint, conversation, manner) =>
  call.principal.cache && deps.answers
    ? answerAgain(deps, call, endpoint, conversation, manner)
    : answerAnew(deps, call, endpoint, conversation, manner);

/** For users who agreed to store prompts; a request may opt out. */
const answerSeen: AnswerByUpstream = async (deps, call, endpoint, conversation, manner) => {
  const userId = call.principal.user.id;
  const contents = deps.contents!;
  const refused = isNotStored(conversation.source) || wishesOf(call.request.headers.get('cache-control')).noStore;
  // If consent cannot be checked, nothing is stored, and the request continues.
  const allowed = !refused && (await Promise.try(contents.allows, userId).catch(() => false));
  const seen = allowed ? new ContentRecorder(contents, { requestId: call.requestId, userId }, conversation) : undefined;
  return answerUnseen(deps, call, endpoint, conversation, { ...manner, seen });
};

const answerAnew: AnswerByUpstream = (deps, call, endpoint, conversation, manner, cached) =>
  conversation.stream
    ? stream(deps, call, endpoint, conversation, manner, cached)
    : answerWhole(deps, call, endpoint, conversation, manner, cached);

type AnswerByUpstream = (
  deps: RelayDeps,
  call: KeyCall,
  endpoint: string,
  conversation: Sourced,
  manner: Manner,
  cached?: CachedRequest | null,
) => Promise<Response>;

/** For keys with caching. */
const answerAgain: AnswerByUpstream = async (deps, call, endpoint, conversation, manner) => {
  const cached = cachedRequest(deps, call, contextFor(call, endpoint, conversation), conversation);
  const kept = await cached?.find();
  if (!kept) return answerAnew(deps, call, endpoint, conversation, manner, cached);
  manner.seen?.whole(kept.answer);
  const given = { ...kept.answer, usage: kept.usage };
  if (!conversation.stream)
    return keptJson(deps, call, formatOf(conversation).render(given, optionsOf(deps, conversation)), manner.keep);
  const { renderer, keptFirst } = writingOf(deps, call, conversation, manner);
  const writer = renderer(keptFirst?.onEnded, kept.upstream);
  const { requestId } = call;
  const broken = (error: unknown) => deps.log.error({ requestId, error }, 'could not finish a stream');
  const pump = async (out: Write): Promise<void> => {
    const write = keptFirst?.through(out) ?? out;
    for (const step of answerDeltas(given)) {
      const text = writer.push(step);
      if (text !== '') await write(text);
    }
  };
  return eventResponse(call.headers, { pump }, broken, manner.reshape);
};

export const contextFor = (call: KeyCall, endpoint: string, { source }: Sourced): RequestContext =>
  contextOf(call, endpoint, parseOverride(source.body.provider), readModels(source.body));

export const optionsOf = ({ clock }: Pick<RelayDeps, 'clock'>, conversation: Sourced): Options => ({
  model: conversation.model,
  oldFunctions: conversation.oldFunctions,
  customTools: conversation.customTools,
  echo: conversation.echo,
  showThoughts: conversation.showThoughts,
  id: formatOf(conversation).newId(),
  created: nowSeconds(clock),
  now: () => nowSeconds(clock),
});

/** How a stream is written for its client. */
function writingOf(deps: RelayDeps, call: KeyCall, conversation: Sourced, { keep }: Manner) {
  const { includeUsage, source } = conversation;
  const { requestId } = call;
  const client: StreamClient = conversation.cohere ? 'cohere' : source.format;
  const options = { ...optionsOf(deps, conversation), client, includeUsage, requestId };
  const text = conversation.completion && { ...options, echo: echoOf(conversation.completion) };
  const renderer = (onEnded?: StoreBeforeEnd['onEnded'], upstream?: WireFormat) =>
    text
      ? completionRenderer(newRenderer({ ...options, upstream }), text)
      : newRenderer({ ...options, onEnded, upstream });
  const renderFailure = (thrown: unknown): string => renderer().fail(toAppError(thrown));
  const keptFirst = keep && new StoreBeforeEnd(keep, deps.log, requestId);
  return { client, answerId: options.id, text, renderer, renderFailure, keptFirst };
}

function streamByMeta(
  deps: RelayDeps,
  meta: MetaModel,
  call: KeyCall,
  conversation: Sourced,
  manner: Manner,
): Promise<Response> {
  const { renderer, keptFirst: kept } = writingOf(deps, call, conversation, manner);
  const { reshape } = manner;
  return followMeta(deps, call, meta, conversation, renderer(kept?.onEnded), { kept, reshape });
}

const stream: AnswerByUpstream = (deps, call, endpoint, conversation, manner, cached) => {
  const { client, answerId, text, renderFailure, keptFirst } = writingOf(deps, call, conversation, manner);
  const context = contextFor(call, endpoint, conversation);
  const { seen } = manner;
  const reader = { client, answerId, onEnded: keptFirst?.onEnded, watch: watchedBy(cached?.watch, seen?.watch) };
  const opening = answerChat(deps, context, conversation, streamed(reader));
  seen?.follow(opening);
  const cacheable: Promise<OpenStream & { model: string }> = cached
    ? opening.then((pump) => cached.following(pump))
    : opening;
  const shown = seen ? cacheable.then((stream) => seen.following(stream)) : cacheable;
  const told = text ? shown.then((chat) => completionStream(chat, { ...text, model: chat.model })) : shown;
  const kept = keptFirst ? told.then((pump) => keptFirst.stream(pump)) : told;
  return answerStream(deps, call, kept, renderFailure, { reshape: manner.reshape });
};

async function answerByMeta(
  deps: RelayDeps,
  meta: MetaModel,
  call: KeyCall,
  conversation: Sourced,
  keep: StoreResponse | undefined,
) {
  const { render } = formatOf(conversation);
  const options = optionsOf(deps, conversation);
  const given = await untilStopped(deps, call.signal, (signal) => meta(call, conversation, signal));
  const rendered = render(given, options);
  return keptJson(deps, call, rendered, keep);
}

const answerWhole: AnswerByUpstream = async (deps, call, endpoint, conversation, { keep, seen }, cached) => {
  const { render, renamed } = formatOf(conversation);
  const asked = answerChat(deps, contextFor(call, endpoint, conversation), conversation, whole);
  seen?.follow(asked);
  const done = await asked;
  tell(call, done);
  cached?.keepWhole(done);
  seen?.whole(done.answer);
  const { answer: given, text, usage, model } = done;
  const same =
    renamed &&
    !conversation.oldFunctions &&
    !conversation.customTools &&
    given.source?.format === conversation.source.format
      ? renamed(text, given.source.body, model)
      : null;
  if (same !== null) return jsonText(call, same);
  // Usage that the upstream did not report was counted here, and charged.
  const rendered = render({ ...given, usage: given.usage ?? usage }, { ...optionsOf(deps, conversation), model });
  return text.length > largeLetters && !keep ? longJson(call, rendered) : keptJson(deps, call, rendered, keep);
};

/** Serialized once for the caller and for storage. */
async function keptJson(
  { log }: Pick<RelayDeps, 'log'>,
  call: KeyCall,
  rendered: Json,
  keep: StoreResponse | undefined,
): Promise<Response> {
  const text = keep ? await storedText(keep, log, call.requestId, rendered) : null;
  return text === null ? json(call, rendered) : jsonText(call, text);
}

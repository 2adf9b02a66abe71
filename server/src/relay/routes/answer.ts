import { nowSeconds } from '../../lib/clock.ts';
import { randomString, timedString } from '../../lib/ids.ts';
import type { Reshape } from '../../platform/http/event-stream.ts';
import { json, jsonText } from '../../platform/http/route.ts';
import { toAppError } from '../../platform/http/to-app-error.ts';
import { parseOverride } from '../../routing/override.ts';
import { answerChat } from '../answer-chat.ts';
import { answerStream } from '../answer-stream.ts';
import { streamed } from '../deliver-stream.ts';
import { whole } from '../deliver-whole.ts';
import type { RelayDeps, RequestContext } from '../deps.ts';
import { refuseForeignTools } from '../providers/kind/foreign-tools.ts';
import { contextOf, type KeyCall } from '../request-context.ts';
import { untilStopped } from '../stopping.ts';
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
import { type Keep, KeptFirst } from './kept-first.ts';
import { followMeta, type MetaModel, type MetaModels, metaModelOf } from './meta-models.ts';

type Options = RenderOptions & ResponseOptions;

interface Format {
  newId(): string;
  render(answer: Answer, options: Options): Json;
  /** The upstream's own text, where nothing but the model's name has to change. */
  renamed?(text: string, body: Json, model: string): string | null;
}

const formats: Record<WireFormat, Format> = {
  chat: { newId: () => `chatcmpl-${randomString(24)}`, render: renderChatAnswer, renamed: renamedChatText },
  messages: { newId: () => `msg_${randomString(24)}`, render: renderMessagesAnswer },
  responses: { newId: () => `resp_${timedString(32)}`, render: renderResponsesAnswer },
  gemini: { newId: () => randomString(24), render: renderGeminiAnswer, renamed: renamedGeminiText },
};

interface Manner {
  /** What is to be kept is kept before the caller has its end. */
  keep?: Keep | undefined;
  /** For readers of a stream who asked for something else than events. */
  reshape?: Reshape | undefined;
}

/** A text completion is a chat that is written otherwise. */
const completionFormat = (completion: TextCompletion): Format => ({
  newId: newCompletionId,
  render: (answer, options) =>
    completionOf(renderChatAnswer(answer, options), { ...options, echo: echoOf(completion) }),
});

/** So is what Cohere's clients send. */
const cohereFormat: Format = { newId: () => crypto.randomUUID(), render: renderCohereAnswer };

function formatOf({ source, completion, cohere }: Sourced): Format {
  if (cohere) return cohereFormat;
  return completion ? completionFormat(completion) : formats[source.format];
}

/** Answers a conversation in the format it came in, whole or streamed, by a model of ours or by an upstream. */
export function answer(
  deps: RelayDeps,
  metaModels: MetaModels,
  call: KeyCall,
  endpoint: string,
  conversation: Sourced,
  manner: Manner = {},
): Promise<Response> {
  const meta = metaModelOf(metaModels, conversation);
  // Such a model works for minutes before it says something.
  if (meta) {
    call.arrived?.();
    refuseForeignTools(conversation);
  }
  if (conversation.stream) return stream(deps, meta, call, endpoint, conversation, manner);
  return meta
    ? answerByMeta(deps, meta, call, conversation, manner.keep)
    : answerWhole(deps, call, endpoint, conversation, manner.keep);
}

export const contextFor = (call: KeyCall, endpoint: string, { source }: Sourced): RequestContext =>
  contextOf(call, endpoint, parseOverride(source.body.provider), readModels(source.body));

export const optionsOf = ({ clock }: Pick<RelayDeps, 'clock'>, conversation: Sourced): Options => ({
  model: conversation.model,
  oldFunctions: conversation.oldFunctions,
  echo: conversation.echo,
  showThoughts: conversation.showThoughts,
  id: formatOf(conversation).newId(),
  created: nowSeconds(clock),
  now: () => nowSeconds(clock),
});

function stream(
  deps: RelayDeps,
  meta: MetaModel | undefined,
  call: KeyCall,
  endpoint: string,
  conversation: Sourced,
  { keep, reshape }: Manner,
): Promise<Response> {
  const { includeUsage, source } = conversation;
  const client: StreamClient = conversation.cohere ? 'cohere' : source.format;
  const options = { ...optionsOf(deps, conversation), client, includeUsage, requestId: call.requestId };
  const text = conversation.completion && { ...options, echo: echoOf(conversation.completion) };
  const renderer = (onEnded?: KeptFirst['onEnded']) =>
    text ? completionRenderer(newRenderer(options), text) : newRenderer({ ...options, onEnded });
  const renderFailure = (thrown: unknown): string => renderer().fail(toAppError(thrown));
  const kept = keep && new KeptFirst(keep, deps.log, call.requestId, renderFailure);
  const onEnded = kept?.onEnded;
  if (meta) return followMeta(deps, call, meta, conversation, renderer(onEnded), { kept, reshape });
  const context = contextFor(call, endpoint, conversation);
  const opening = answerChat(deps, context, conversation, streamed({ client, answerId: options.id, onEnded }));
  const told = text ? opening.then((chat) => completionStream(chat, { ...text, model: chat.model })) : opening;
  return answerStream(deps, call, kept ? told.then((pump) => kept.stream(pump)) : told, renderFailure, { reshape });
}

async function answerByMeta(
  deps: RelayDeps,
  meta: MetaModel,
  call: KeyCall,
  conversation: Sourced,
  keep: Keep | undefined,
) {
  const { render } = formatOf(conversation);
  const options = optionsOf(deps, conversation);
  const given = await untilStopped(deps, call.signal, (signal) => meta(call, conversation, signal));
  const rendered = render(given, options);
  return keptJson(call, rendered, keep);
}

async function answerWhole(
  deps: RelayDeps,
  call: KeyCall,
  endpoint: string,
  conversation: Sourced,
  keep: Keep | undefined,
) {
  const { render, renamed } = formatOf(conversation);
  const done = await answerChat(deps, contextFor(call, endpoint, conversation), conversation, whole);
  tell(call, done);
  const { answer: given, text, usage, model } = done;
  const same =
    renamed && !conversation.oldFunctions && given.source?.format === conversation.source.format
      ? renamed(text, given.source.body, model)
      : null;
  if (same !== null) return jsonText(call, same);
  // What the upstream did not count was counted here, and is what was charged.
  const rendered = render({ ...given, usage: given.usage ?? usage }, { ...optionsOf(deps, conversation), model });
  return keptJson(call, rendered, keep);
}

/** Written once for the caller and for those who build on it. */
async function keptJson(call: KeyCall, rendered: Json, keep: Keep | undefined): Promise<Response> {
  const text = keep ? await keep(rendered) : null;
  return text === null ? json(call, rendered) : jsonText(call, text);
}

import { nowSeconds } from '../../lib/clock.ts';
import { randomString } from '../../lib/ids.ts';
import { type Call, json, jsonText } from '../../platform/http/route.ts';
import { toAppError } from '../../platform/http/to-app-error.ts';
import { parseOverride } from '../../routing/override.ts';
import { answerChat } from '../answer-chat.ts';
import { answerStream } from '../answer-stream.ts';
import { streamed } from '../deliver-stream.ts';
import { whole } from '../deliver-whole.ts';
import type { RelayDeps, RequestContext } from '../deps.ts';
import { refuseForeignTools } from '../providers/kind/foreign-tools.ts';
import { contextOf } from '../request-context.ts';
import { untilStopped } from '../stopping.ts';
import { type RenderOptions, renamedChatText, renderChatAnswer } from '../wire/chat/answer.ts';
import { completionOf, echoOf, newCompletionId } from '../wire/completions/answer.ts';
import { completionRenderer, completionStream } from '../wire/completions/stream.ts';
import type { Answer, Json, Sourced, TextCompletion, WireFormat } from '../wire/conversation.ts';
import { renderMessagesAnswer } from '../wire/messages/answer.ts';
import { newRenderer } from '../wire/relay-stream.ts';
import { tell } from './json-endpoint.ts';
import { followMeta, type MetaModel, type MetaModels, metaModelOf } from './meta-models.ts';

interface Format {
  newId(): string;
  render(answer: Answer, options: RenderOptions): Json;
  /** The upstream's own text, where nothing but the model's name has to change. */
  renamed?(text: string, body: Json, model: string): string | null;
}

const formats: Record<WireFormat, Format> = {
  chat: { newId: () => `chatcmpl-${randomString(24)}`, render: renderChatAnswer, renamed: renamedChatText },
  messages: { newId: () => `msg_${randomString(24)}`, render: renderMessagesAnswer },
};

/** A text completion is a chat that is written otherwise. */
const completionFormat = (completion: TextCompletion): Format => ({
  newId: newCompletionId,
  render: (answer, options) =>
    completionOf(renderChatAnswer(answer, options), { ...options, echo: echoOf(completion) }),
});

const formatOf = ({ source, completion }: Sourced): Format =>
  completion ? completionFormat(completion) : formats[source.format];

/** Answers a conversation in the format it came in, whole or streamed, by a model of ours or by an upstream. */
export function answer(
  deps: RelayDeps,
  metaModels: MetaModels,
  call: Call<'apiKey'>,
  endpoint: string,
  conversation: Sourced,
): Promise<Response> {
  const meta = metaModelOf(metaModels, conversation);
  // Such a model works for minutes before it says something.
  if (meta) {
    call.arrived?.();
    refuseForeignTools(conversation);
  }
  if (conversation.stream) return stream(deps, meta, call, endpoint, conversation);
  return meta ? answerByMeta(deps, meta, call, conversation) : answerWhole(deps, call, endpoint, conversation);
}

export const contextFor = (call: Call<'apiKey'>, endpoint: string, { source }: Sourced): RequestContext =>
  contextOf(call, endpoint, parseOverride(source.body.provider));

const optionsOf = ({ clock }: RelayDeps, conversation: Sourced): RenderOptions => ({
  model: conversation.model,
  oldFunctions: conversation.oldFunctions,
  id: formatOf(conversation).newId(),
  created: nowSeconds(clock),
});

function stream(
  deps: RelayDeps,
  meta: MetaModel | undefined,
  call: Call<'apiKey'>,
  endpoint: string,
  conversation: Sourced,
): Promise<Response> {
  const { includeUsage, source } = conversation;
  const client = source.format;
  const options = { ...optionsOf(deps, conversation), client, includeUsage, requestId: call.requestId };
  const text = conversation.completion && { ...options, echo: echoOf(conversation.completion) };
  const renderer = () => (text ? completionRenderer(newRenderer(options), text) : newRenderer(options));
  if (meta) return followMeta(deps, call, meta, conversation, renderer());
  const context = contextFor(call, endpoint, conversation);
  const opening = answerChat(deps, context, conversation, streamed({ client, answerId: options.id }));
  const told = text ? opening.then((chat) => completionStream(chat, text)) : opening;
  return answerStream(deps, call, told, (thrown) => renderer().fail(toAppError(thrown)));
}

async function answerByMeta(deps: RelayDeps, meta: MetaModel, call: Call<'apiKey'>, conversation: Sourced) {
  const { render } = formatOf(conversation);
  const given = await untilStopped(deps, call.signal, (signal) => meta(call, conversation, signal));
  return json(call, render(given, optionsOf(deps, conversation)));
}

async function answerWhole(deps: RelayDeps, call: Call<'apiKey'>, endpoint: string, conversation: Sourced) {
  const { render, renamed } = formatOf(conversation);
  const done = await answerChat(deps, contextFor(call, endpoint, conversation), conversation, whole);
  tell(call, done);
  const { answer: given, text, usage } = done;
  const same =
    renamed && !conversation.oldFunctions && given.source?.format === conversation.source.format
      ? renamed(text, given.source.body, conversation.model)
      : null;
  if (same !== null) return jsonText(call, same);
  // What the upstream did not count was counted here, and is what was charged.
  return json(call, render({ ...given, usage: given.usage ?? usage }, optionsOf(deps, conversation)));
}

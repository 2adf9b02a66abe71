import { nowSeconds } from '../../lib/clock.ts';
import { randomString } from '../../lib/ids.ts';
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
import type { Answer, Json, Sourced, WireFormat } from '../wire/conversation.ts';
import { renamedGeminiText, renderGeminiAnswer } from '../wire/gemini/answer.ts';
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
  gemini: { newId: () => randomString(24), render: renderGeminiAnswer, renamed: renamedGeminiText },
};

/**
 * Answers a conversation in the format it came in, whole or streamed, by a model of ours or by an upstream. `reshape` is for
 * readers of a stream who asked for something else than events.
 */
export function answer(
  deps: RelayDeps,
  metaModels: MetaModels,
  call: KeyCall,
  endpoint: string,
  conversation: Sourced,
  reshape?: Reshape,
): Promise<Response> {
  const meta = metaModelOf(metaModels, conversation);
  // Such a model works for minutes before it says something.
  if (meta) {
    call.arrived?.();
    refuseForeignTools(conversation);
  }
  if (conversation.stream) return stream(deps, meta, call, endpoint, conversation, reshape);
  return meta ? answerByMeta(deps, meta, call, conversation) : answerWhole(deps, call, endpoint, conversation);
}

const contextFor = (call: KeyCall, endpoint: string, { source }: Sourced): RequestContext =>
  contextOf(call, endpoint, parseOverride(source.body.provider));

const optionsOf = ({ clock }: RelayDeps, { model, source, oldFunctions, showThoughts }: Sourced): RenderOptions => ({
  model,
  oldFunctions,
  showThoughts,
  id: formats[source.format].newId(),
  created: nowSeconds(clock),
});

function stream(
  deps: RelayDeps,
  meta: MetaModel | undefined,
  call: KeyCall,
  endpoint: string,
  conversation: Sourced,
  reshape: Reshape | undefined,
): Promise<Response> {
  const { includeUsage, source } = conversation;
  const client = source.format;
  const options = { ...optionsOf(deps, conversation), client, includeUsage, requestId: call.requestId };
  if (meta) return followMeta(deps, call, meta, conversation, newRenderer(options), reshape);
  const context = contextFor(call, endpoint, conversation);
  const opening = answerChat(deps, context, conversation, streamed({ client, answerId: options.id }));
  const renderFailure = (thrown: unknown) => newRenderer(options).fail(toAppError(thrown));
  return answerStream(deps, call, opening, renderFailure, { reshape });
}

async function answerByMeta(deps: RelayDeps, meta: MetaModel, call: KeyCall, conversation: Sourced) {
  const { render } = formats[conversation.source.format];
  const given = await untilStopped(deps, call.signal, (signal) => meta(call, conversation, signal));
  return json(call, render(given, optionsOf(deps, conversation)));
}

async function answerWhole(deps: RelayDeps, call: KeyCall, endpoint: string, conversation: Sourced) {
  const { render, renamed } = formats[conversation.source.format];
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

import { requestId } from '../lib/ids.ts';
import { complete } from '../relay/complete.ts';
import type { Errand, RelayDeps } from '../relay/deps.ts';
import { embed } from '../relay/endpoints/embeddings.ts';
import { rerank } from '../relay/endpoints/rerank.ts';
import { openStream } from '../relay/stream.ts';
import { renderChatAnswer } from '../relay/wire/chat/answer.ts';
import { parseChatRequest } from '../relay/wire/chat/request.ts';
import type { Conversation, Finish, Part } from '../relay/wire/conversation.ts';
import { modelTypes } from '../routing/candidate.ts';
import type { Catalog } from '../routing/catalog/catalog.ts';
import { orchestraModel } from './chat.ts';
import type { ChatMessage, ToolCall } from './messages.ts';
import type { ModelInfo } from './models.ts';
import type { Caller, Complete, CompleteAnswer, CompleteRequest, Embed, Rerank } from './ports.ts';
import type { RerankScore } from './search/rank.ts';

const endpoint = '/v1/chat/completions';

/** What a key allows besides the engine itself; a key for the engine alone leaves it every model. */
const allowedBehind = ({ allowedModels = [] }: Caller): string[] =>
  allowedModels.filter((model) => model !== orchestraModel);

const errandOf = (caller: Caller, signal: AbortSignal, id = requestId()): Errand => ({
  requestId: id,
  caller: {
    userId: caller.userId,
    group: caller.group ?? 'default',
    keyId: caller.keyId,
    keyUnlimited: caller.keyUnlimited ?? true,
    models: allowedBehind(caller),
  },
  endpoint,
  override: null,
  clientHeaders: {},
  signal,
});

/** Model calls of the engine go the way of every other request: routed, watched, billed, cancelled. */
export function relayModels(relay: RelayDeps): { complete: Complete; embed: Embed; rerank: Rerank } {
  return {
    complete: (request) => {
      const conversation = parseChatRequest({
        ...request.params,
        model: request.model,
        messages: request.messages,
        stream: request.stream,
        ...(request.tools && request.tools.length > 0 && { tools: request.tools }),
      });
      const errand = errandOf(request, request.signal, request.requestId);
      return request.stream ? streamed(relay, errand, conversation, request) : whole(relay, errand, conversation);
    },
    embed: async ({ model, texts, signal, ...caller }) => {
      const body = { model, input: texts, encoding_format: 'float' };
      const { value, usage } = await embed(relay, errandOf(caller, signal), body);
      const data = value.data as { index: number; embedding: number[] }[];
      return { vectors: data.toSorted((a, b) => a.index - b.index).map((item) => item.embedding), usage };
    },
    rerank: async ({ model, query, documents, topN, signal, ...caller }) => {
      const body = { model, query, documents, top_n: topN, return_documents: false };
      const { value, usage } = await rerank(relay, errandOf(caller, signal), body);
      return { results: value.results as RerankScore[], usage };
    },
  };
}

async function whole(relay: RelayDeps, errand: Errand, conversation: Conversation): Promise<CompleteAnswer> {
  const { answer, usage, candidate, modelId } = await complete(relay, errand, conversation);
  const body = renderChatAnswer(answer, { model: modelId, id: '', created: 0 });
  const [choice] = body.choices as { message: ChatMessage; finish_reason: string }[];
  return {
    message: cleanMessage(choice?.message ?? { role: 'assistant', content: '' }),
    finishReason: choice?.finish_reason ?? answer.finish,
    usage,
    model: modelId,
    provider: candidate.channel.provider,
  };
}

/** Only what a later request may send back; vendors' own fields stay out of the session. */
const cleanMessage = ({ content, tool_calls }: ChatMessage): ChatMessage => ({
  role: 'assistant',
  content,
  ...(tool_calls && tool_calls.length > 0 && { tool_calls }),
});

/** Gathers a streamed answer while it is told on. */
async function streamed(
  relay: RelayDeps,
  errand: Errand,
  conversation: Conversation,
  request: CompleteRequest,
): Promise<CompleteAnswer> {
  let text = '';
  let finish: Finish = 'stop';
  const calls: Extract<Part, { type: 'tool_call' }>[] = [];
  const stream = await openStream(relay, errand, conversation, {
    client: 'chat',
    answerId: '',
    onDelta: (delta) => {
      if (delta.type === 'text') {
        text += delta.text;
        request.onDelta?.(delta.text);
      } else if (delta.type === 'tool_start') {
        calls[delta.index] = { type: 'tool_call', id: delta.id, name: delta.name, arguments: '' };
      } else if (delta.type === 'tool_args') {
        const call = calls[delta.index];
        if (call) call.arguments += delta.args;
      } else if (delta.type === 'finish') finish = delta.finish;
    },
  });
  const end = await stream.pump(() => undefined);
  if (end.error) throw end.error;
  request.signal.throwIfAborted();
  const tool_calls = calls.filter(Boolean).map(toToolCall);
  return {
    message: cleanMessage({
      role: 'assistant',
      content: text === '' && tool_calls.length > 0 ? null : text,
      tool_calls,
    }),
    finishReason: finish,
    usage: end.usage,
    model: stream.modelId,
    provider: stream.candidate.channel.provider,
  };
}

const toToolCall = (part: Extract<Part, { type: 'tool_call' }>): ToolCall => ({
  id: part.id,
  type: 'function',
  function: { name: part.name, arguments: part.arguments || '{}' },
});

/** The enabled models that a caller may use, at their cheapest. */
export function modelsOf(catalog: Catalog, caller: Caller): ModelInfo[] {
  const group = caller.group ?? 'default';
  const allowed = allowedBehind(caller);
  return catalog
    .models(group)
    .filter(({ id }) => allowed.length === 0 || allowed.includes(id))
    .flatMap(({ id }) =>
      modelTypes.flatMap((type) => {
        const candidates = catalog.candidatesFor(id, type, group);
        if (candidates.length === 0) return [];
        const cheapest = candidates.reduce((a, b) => (priceOf(b.price) < priceOf(a.price) ? b : a));
        return [
          {
            id,
            type,
            promptPrice: cheapest.price.promptPrice,
            completionPrice: cheapest.price.completionPrice,
            quality: cheapest.qualityScore,
            contextLength: cheapest.contextLength,
          },
        ];
      }),
    );
}

const priceOf = (price: { promptPrice: number; completionPrice: number }): number =>
  price.promptPrice + price.completionPrice;

import { isHandedOver } from '../lib/abandoned-work.ts';
import { requestId as newRequestId } from '../lib/ids.ts';
import { answerChat } from '../relay/answer-chat.ts';
import { chargeWithAnswer } from '../relay/charge-with-answer.ts';
import { streamed } from '../relay/deliver-stream.ts';
import { whole } from '../relay/deliver-whole.ts';
import type { ChargeLater, RelayDeps, RequestContext } from '../relay/deps.ts';
import { embed } from '../relay/endpoints/embeddings.ts';
import { rerank } from '../relay/endpoints/rerank.ts';
import { renderChatAnswer } from '../relay/wire/chat/answer.ts';
import { parseChatRequest } from '../relay/wire/chat/request.ts';
import type { Answer, Conversation, Finish, TextPart, ToolCallPart } from '../relay/wire/conversation.ts';
import { type Candidate, type ModelType, modelTypes } from '../routing/candidate.ts';
import { limitsOn, type Scored } from '../routing/rank.ts';
import type { ChatMessage } from './messages.ts';
import { isModelAllowed } from './model-access.ts';
import type { ModelInfo } from './models.ts';
import type {
  Caller,
  Charged,
  Complete,
  CompleteAnswer,
  CompleteRequest,
  Embed,
  Embedded,
  Permit,
  Rerank,
} from './ports.ts';
import type { RerankScore } from './search/rank.ts';

const endpoint = '/v1/chat/completions';

type Named = Pick<CompleteRequest, 'requestId' | 'insteadOf'> & { chargeLater?: ChargeLater | undefined };

const contextOf = (caller: Caller, signal: AbortSignal, named: Named = {}): RequestContext => ({
  requestId: named.requestId ?? newRequestId(),
  insteadOf: named.insteadOf,
  parentRequestId: caller.parentRequestId,
  priceFactor: caller.priceFactor,
  chargeLater: named.chargeLater,
  caller: {
    userId: caller.userId,
    group: caller.group ?? 'default',
    keyId: caller.keyId,
    keyUnlimited: caller.keyUnlimited ?? true,
    models: [...(caller.allowedModels ?? [])],
  },
  endpoint,
  override: caller.override ?? null,
  clientHeaders: {},
  signal,
});

/**
 * The engine's model calls use the same path as every other request: routed, monitored, billed, cancellable. Turns and
 * runs make many calls, so the caller's permission is checked for each one.
 */
export function relayModels(relay: RelayDeps, permit: Permit): { complete: Complete; embed: Embed; rerank: Rerank } {
  const kept = <T>(
    { keepAs, signal }: Pick<CompleteRequest, 'keepAs' | 'signal'>,
    ask: (chargeLater?: ChargeLater) => Promise<T>,
    bodyOf: (answer: T) => string = JSON.stringify,
  ): Promise<T> => (keepAs ? chargeWithAnswer(relay.billing, keepAs, signal, ask, bodyOf) : ask());
  return {
    complete: async (request) => {
      const body = {
        ...request.params,
        model: request.model,
        messages: request.messages,
        stream: request.stream,
        ...(request.tools && request.tools.length > 0 && { tools: request.tools }),
      };
      const conversation: Conversation = { ...parseChatRequest(body), anyModel: true };
      const { requestId, insteadOf, signal, stream } = request;
      const caller = await permit(request);
      const answer = await kept(request, (chargeLater) => {
        const context = contextOf(caller, signal, { requestId, insteadOf, chargeLater });
        return stream ? follow(relay, context, conversation, request) : complete(relay, context, conversation);
      });
      // If the stream was aborted, the answer is incomplete.
      if (stream) signal.throwIfAborted();
      return answer;
    },
    embed: async ({ model, texts, signal, keepAs, bodyOf, ...asking }) => {
      const body = { model, input: texts, encoding_format: 'float' };
      const caller = await permit(asking);
      const ask = async (chargeLater?: ChargeLater): Promise<Embedded> => {
        const { value, usage, cost } = await embed(relay, contextOf(caller, signal, { chargeLater }), body);
        const data = value.data as { embedding: number[] }[];
        return { vectors: data.map(({ embedding }) => embedding), usage, cost };
      };
      return kept({ keepAs, signal }, ask, bodyOf);
    },
    rerank: async ({ model, query, documents, topN, signal, keepAs, ...asking }) => {
      const body = { model, query, documents, top_n: topN, return_documents: false };
      const caller = await permit(asking);
      return kept({ keepAs, signal }, async (chargeLater) => {
        const { value, usage, cost } = await rerank(relay, contextOf(caller, signal, { chargeLater }), body);
        return { results: value.results as RerankScore[], usage, cost };
      });
    },
  };
}

async function complete(relay: RelayDeps, context: RequestContext, asked: Conversation): Promise<CompleteAnswer> {
  const { answer, candidate, modelId, ...settled } = await answerChat(relay, context, asked, whole);
  return completed(answer, settled, candidate, modelId);
}

/** Collects a streamed answer while forwarding its text. */
async function follow(
  relay: RelayDeps,
  context: RequestContext,
  asked: Conversation,
  { onDelta, onBroken, signal }: Pick<CompleteRequest, 'onDelta' | 'onBroken' | 'signal'>,
): Promise<CompleteAnswer> {
  const text: TextPart = { type: 'text', text: '' };
  const refusal: TextPart = { type: 'text', text: '', refusal: true };
  const calls = new Map<number, ToolCallPart>();
  let finish: Finish = 'stop';
  const stream = await answerChat(relay, context, asked, streamed({ client: 'deltas' }));
  const { error, ...settled } = await stream.tell((delta) => {
    if (delta.type === 'text') {
      // Refusals are not forwarded: another model may still answer.
      (delta.refusal ? refusal : text).text += delta.text;
      return delta.refusal ? undefined : onDelta?.(delta.text);
    }
    if (delta.type === 'tool_start') calls.set(delta.index, { ...delta, type: 'tool_call', arguments: '' });
    else if (delta.type === 'tool_args') {
      const call = calls.get(delta.index);
      if (call) call.arguments += delta.args;
    } else if (delta.type === 'finish') finish = delta.finish;
    return undefined;
  });
  const broken = error !== undefined || signal.aborted;
  // If another process took the work over, it charges the whole answer.
  if (broken && settled.summary.hasOutput && !isHandedOver(signal)) onBroken?.(settled);
  if (error) throw error;
  for (const call of calls.values()) call.arguments ||= '{}';
  const { candidate, modelId } = stream.answer;
  const parts = [text, refusal, ...calls.values()];
  return completed({ id: '', model: modelId, parts, finish }, settled, candidate, modelId);
}

/** Keeps only the fields that a later request may send back; vendor-specific ones are not stored in the session. */
function completed(answer: Answer, { usage, cost }: Charged, { channel }: Candidate, model: string): CompleteAnswer {
  const { choices } = renderChatAnswer(answer, { model, id: '', created: 0 });
  // The shape that `renderChatAnswer` has just produced.
  const [choice] = choices as { message: ChatMessage & { refusal: string | null }; finish_reason: string }[];
  const { content = '', refusal = null, tool_calls = [] } = choice?.message ?? {};
  // Trust the vendor's refusal field, whatever the text says.
  const refused = refusal !== null && !content && tool_calls.length === 0;
  return {
    message: {
      role: 'assistant',
      content: refused ? refusal : content,
      ...(tool_calls.length > 0 && { tool_calls }),
    },
    finishReason: refused ? 'content_filter' : (choice?.finish_reason ?? answer.finish),
    usage,
    cost,
    model,
    provider: channel.provider,
  };
}

/**
 * The enabled models that the caller's key lists and its organisation allows. Each one combines the providers left by
 * preferences and request: the cheapest price, the largest window and the healthiest circuit.
 */
export async function modelsOf(
  { catalog, routing, reachOf }: Pick<RelayDeps, 'catalog' | 'routing' | 'reachOf'>,
  caller: Caller,
) {
  const group = caller.group ?? 'default';
  const reach = caller.keyId === null ? null : ((await reachOf?.(caller.keyId)) ?? null);
  const mayUse = ({ channel }: Candidate): boolean => reach?.mayUse(channel.provider) ?? true;
  const standing = await routing.standing(caller.userId, caller.override ?? null);
  return catalog
    .models(group)
    .filter(({ id }) => isModelAllowed(caller, id) && (reach?.mayAsk(id) ?? true))
    .flatMap(({ id }) =>
      modelTypes.flatMap((type) => {
        const candidates = catalog.candidatesFor(id, type, group).filter(mayUse);
        return candidates.length === 0 ? [] : [modelInfo(id, type, standing(candidates))];
      }),
    );
}

const circuitOrder = ['closed', 'half_open', 'open'] as const;

function modelInfo(id: string, type: ModelType, scored: Scored[]): ModelInfo {
  const left = scored.filter(({ dropped }) => !dropped);
  const offers = left.length > 0 ? left : scored;
  const { price, qualityScore } = offers.map(({ candidate }) => candidate).reduce(cheaper);
  return {
    id,
    type,
    promptPrice: price.promptPrice,
    completionPrice: price.completionPrice,
    quality: qualityScore,
    contextLength: Math.max(...offers.map(({ candidate }) => candidate.contextLength)),
    maxOutputTokens: Math.max(...offers.map(({ candidate }) => candidate.maxOutputTokens)),
    circuit: circuitOrder.find((state) => offers.some(({ circuit }) => circuit === state)),
    ...(left.length === 0 && { leftOut: limitsOn(scored) }),
  };
}

const priceOf = ({ price }: Candidate): number => price.promptPrice + price.completionPrice;
const cheaper = (a: Candidate, b: Candidate): Candidate => (priceOf(b) < priceOf(a) ? b : a);

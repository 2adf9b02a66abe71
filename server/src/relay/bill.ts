import type { Hold, UsageStatus } from '../billing/types.ts';
import { AppError } from '../lib/errors.ts';
import { costOf, isFree, type Price, type Usage } from '../lib/money.ts';
import { loadTokens } from '../lib/tokens.ts';
import type { Candidate } from '../routing/candidate.ts';
import type { Plan } from '../routing/plan.ts';
import type { Errand, RelayDeps } from './deps.ts';
import { type Conversation, promptTexts } from './wire/conversation.ts';

/** Assumed where neither the request nor the model bounds the answer (contract §9). */
const defaultOutputTokens = 4_096;
/** About four characters make a token; the hold is an estimate and the settlement exact, so counting would be waste. */
const charsPerToken = 4;
/** What a picture costs at most with common vendors. */
const tokensPerImage = 1_600;

export function estimatePrompt(conversation: Conversation): number {
  let chars = 0;
  for (const text of promptTexts(conversation)) chars += text.length + 8;
  let images = 0;
  for (const turn of conversation.turns) for (const part of turn.parts) if (part.type === 'image') images += 1;
  return Math.ceil(chars / charsPerToken) + images * tokensPerImage;
}

/** The most that any candidate of the plan would cost: whichever answers, the hold covers it. */
export function estimateCost(plan: Plan, estimate: (candidate: Candidate) => Usage): number {
  let most = 0;
  for (const candidate of plan.candidates) {
    if (!isFree(candidate.price)) most = Math.max(most, costOf(candidate.price, estimate(candidate)));
  }
  return most;
}

export const chatEstimate =
  (conversation: Conversation) =>
  (candidate: Candidate): Usage => ({
    promptTokens: estimatePrompt(conversation),
    completionTokens:
      (conversation.params.maxTokens ?? (candidate.maxOutputTokens || defaultOutputTokens)) *
      (conversation.params.n ?? 1),
  });

export async function openHold(deps: RelayDeps, errand: Errand, modelId: string, amount: number): Promise<Hold> {
  const { caller } = errand;
  return deps.billing.hold({
    requestId: errand.requestId,
    userId: caller.userId,
    keyId: caller.keyId,
    keyUnlimited: caller.keyUnlimited,
    amount,
    modelId,
  });
}

export interface Bill {
  candidate: Candidate;
  usage: Usage;
  status: UsageStatus;
  stream: boolean;
  startedMs: number;
  firstTokenMs?: number;
}

/** Durable when it resolves, so that nobody has the whole answer before it is charged. */
export async function settle(deps: RelayDeps, errand: Errand, hold: Hold, bill: Bill): Promise<number> {
  const cost = priceOf(bill.candidate.price, bill.usage);
  await deps.billing.settle(hold, {
    cost,
    usage: bill.usage,
    endpoint: errand.endpoint,
    provider: bill.candidate.channel.provider,
    channelId: bill.candidate.channel.id,
    stream: bill.stream,
    status: bill.status,
    durationMs: deps.clock.nowMs() - bill.startedMs,
    ...(bill.firstTokenMs !== undefined && { firstTokenMs: bill.firstTokenMs }),
  });
  return cost;
}

export const priceOf = (price: Price, usage: Usage): number => (isFree(price) ? 0 : costOf(price, usage));

/** Counts text as it comes, in pieces, so that a long answer is never kept whole. */
export class OutputCounter {
  #buffer = '';
  #tokens = 0;
  #pending: Promise<void> = Promise.resolve();

  add = (text: string): void => {
    this.#buffer += text;
    if (this.#buffer.length > 32_768) this.#flush();
  };

  /** A rough figure at once, for holds that grow with a stream. */
  roughly(): number {
    return this.#tokens + Math.ceil(this.#buffer.length / charsPerToken);
  }

  async count(): Promise<number> {
    this.#flush();
    await this.#pending;
    return this.#tokens;
  }

  #flush(): void {
    const text = this.#buffer;
    this.#buffer = '';
    if (text === '') return;
    this.#pending = this.#pending.then(async () => {
      this.#tokens += (await loadTokens()).count(text);
    });
  }
}

export async function countPrompt(conversation: Conversation): Promise<number> {
  const { count } = await loadTokens();
  let tokens = 3;
  for (const text of promptTexts(conversation)) tokens += count(text) + 4;
  return tokens;
}

/** A key's allow-list holds public ids; the bare name a client may use instead counts as well. */
export function allowModel(errand: Errand, name: string, modelId: string): void {
  const { models } = errand.caller;
  if (models.length === 0 || models.includes(modelId) || models.includes(name)) return;
  throw new AppError('model_not_allowed', `This API key may not use the model '${name}'.`, { param: 'model' });
}

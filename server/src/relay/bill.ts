import type { Hold, Settled, UsageStatus } from '../billing/types.ts';
import { AppError } from '../lib/errors.ts';
import { costOf, isFree, type Price, type Usage } from '../lib/money.ts';
import type { Candidate } from '../routing/candidate.ts';
import type { Plan } from '../routing/plan.ts';
import type { Errand, RelayDeps } from './deps.ts';
import { type Prompt, promptOf } from './prompt.ts';
import type { Conversation, Params } from './wire/conversation.ts';

/** Assumed where neither the request nor the model bounds the answer (contract §9). */
const defaultOutputTokens = 4_096;
/** The most that any candidate of the plan would cost: whichever answers, the hold covers it. */
export function estimateCost(plan: Plan, estimate: (candidate: Candidate) => Usage): number {
  let most = 0;
  for (const candidate of plan.candidates) {
    if (!isFree(candidate.price)) most = Math.max(most, costOf(candidate.price, estimate(candidate)));
  }
  return most;
}

export const chatEstimate =
  (prompt: Prompt, { maxTokens, n = 1 }: Params) =>
  (candidate: Candidate): Usage => ({
    promptTokens: prompt.estimate,
    completionTokens: (maxTokens ?? (candidate.maxOutputTokens || defaultOutputTokens)) * n,
  });

export function openHold(deps: RelayDeps, errand: Errand, modelId: string, amount: number): Promise<Hold> {
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

/** What is charged, and when that is durable: nobody has the whole answer before it is paid. */
export function charge(
  deps: RelayDeps,
  errand: Errand,
  hold: Hold,
  bill: Bill,
): { cost: number; written: Promise<Settled> } {
  const cost = priceOf(bill.candidate.price, bill.usage);
  const written = deps.billing.settle(hold, {
    cost,
    usage: bill.usage,
    endpoint: errand.endpoint,
    provider: bill.candidate.channel.provider,
    channelId: bill.candidate.channel.id,
    stream: bill.stream,
    status: bill.status,
    durationMs: deps.clock.nowMs() - bill.startedMs,
    firstTokenMs: bill.firstTokenMs,
  });
  return { cost, written };
}

/** Tells what was charged once it is durable. */
export async function settle(deps: RelayDeps, errand: Errand, hold: Hold, bill: Bill): Promise<number> {
  const { cost, written } = charge(deps, errand, hold, bill);
  await written;
  return cost;
}

export const priceOf = (price: Price, usage: Usage): number => (isFree(price) ? 0 : costOf(price, usage));

export const countPrompt = (conversation: Conversation): Promise<number> => promptOf(conversation).count();

/** A key's allow-list holds public ids; the bare name a client may use instead counts as well. */
export function allowModel(errand: Errand, name: string, modelId: string): void {
  const { models } = errand.caller;
  if (models.length === 0 || models.includes(modelId) || models.includes(name)) return;
  throw new AppError('model_not_allowed', `This API key may not use the model '${name}'.`, { param: 'model' });
}

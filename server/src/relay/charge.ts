import type { Hold, Settlement, UsageStatus } from '../billing/types.ts';
import { AppError } from '../lib/errors.ts';
import { type Asks, costAtMost, costOf, isFree, type Price, scaledPrice, type Usage } from '../lib/money.ts';
import type { Candidate } from '../routing/candidate.ts';
import type { Plan } from '../routing/plan.ts';
import type { RelayDeps, RequestContext } from './deps.ts';
import type { Prompt } from './prompt.ts';

/** What a request may cost. */
export interface Estimate {
  /** Upper bound of the usage with a candidate, known at once: every byte of text may be a token. */
  most(candidate: Candidate): Usage;
  /** Upper bound of the prompt tokens by counting them: closer, but slower. */
  countPrompt?(): Promise<number>;
  asks?: Asks;
}

export class ChatEstimate implements Estimate {
  readonly asks: Asks;

  constructor(readonly prompt: Prompt) {
    this.asks = prompt.asks;
  }

  most(candidate: Candidate): Usage {
    return withRequestPrice(candidate.price, this.prompt.most(candidate));
  }

  countPrompt(): Promise<number> {
    return this.prompt.countMost();
  }
}

/** Adds the price per request, for models that have one. */
export const withRequestPrice = (price: Price, usage: Usage): Usage =>
  price.requestPrice > 0 || price.tiers?.some((tier) => tier.request) ? { ...usage, units: 1 } : usage;

type Paying = Pick<RequestContext, 'priceFactor'>;

/** The price this request pays: the model's, or only the operator's share of it. */
export const effectivePrice = ({ priceFactor }: Paying, { price }: Pick<Candidate, 'price'>): Price =>
  priceFactor === undefined || priceFactor === 1 ? price : scaledPrice(price, priceFactor);

/** The highest cost among the plan's candidates, so that the hold covers whichever answers. */
export function estimateCost(context: Paying, plan: Plan, estimate: Pick<Estimate, 'most' | 'asks'>): number {
  let most = 0;
  for (const candidate of plan.candidates) {
    const price = effectivePrice(context, candidate);
    if (!isFree(price)) most = Math.max(most, costAtMost(price, estimate.most(candidate), estimate.asks));
  }
  return most;
}

export interface Bill {
  candidate: Candidate;
  usage: Usage;
  status: UsageStatus;
  stream: boolean;
  startedMs: number;
  firstTokenMs?: number;
  /** Given where the cost is not the price of the summed usage, as with several prompts. */
  cost?: number;
}

/**
 * Charges and resolves once the charge is durable (or `chargeLater` took it over): no client gets a whole answer that
 * is not paid for.
 */
export async function settle(deps: RelayDeps, context: RequestContext, hold: Hold, bill: Bill): Promise<number> {
  const settlement = settlementOf(deps, context, bill);
  await chargeBill(deps, context, hold, settlement);
  return settlement.cost;
}

export function settlementOf({ clock }: RelayDeps, context: RequestContext, bill: Bill): Settlement {
  const { candidate, usage, stream, status, firstTokenMs } = bill;
  const price = effectivePrice(context, candidate);
  return {
    cost: bill.cost ?? priceOf(price, usage),
    usage,
    price,
    endpoint: context.endpoint,
    provider: candidate.channel.provider,
    channelId: candidate.channel.id,
    ownKey: candidate.via?.own === true,
    stream,
    status,
    durationMs: clock.steadyMs() - bill.startedMs,
    firstTokenMs,
    parentRequestId: context.parentRequestId,
  };
}

export function chargeBill(
  { billing }: RelayDeps,
  { chargeLater }: RequestContext,
  hold: Hold,
  settlement: Settlement,
): Promise<unknown> | undefined {
  if (!chargeLater) return billing.settle(hold, settlement);
  chargeLater(hold, settlement);
  return undefined;
}

export const priceOf = (price: Price, usage: Usage): number => (isFree(price) ? 0 : costOf(price, usage));

/** A key's allow-list holds public model ids; the bare name and the aliases of an allowed model are accepted too. */
export function requireAllowedModel(
  { catalog }: Pick<RelayDeps, 'catalog'>,
  context: Pick<RequestContext, 'caller'>,
  name: string,
  modelId: string,
): void {
  const { models, group } = context.caller;
  if (models.length === 0 || models.includes(modelId) || models.includes(name)) return;
  for (const alias of models) if (catalog.membersOf(alias, group)?.includes(modelId)) return;
  throw new AppError('model_not_allowed', `This API key cannot use the model '${name}'.`, { param: 'model' });
}

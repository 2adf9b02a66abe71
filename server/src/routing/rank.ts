import { AppError } from '../lib/errors.ts';
import type { Candidate } from './candidate.ts';
import type { CircuitState } from './circuit.ts';
import { type Missed, missedDemand } from './demands.ts';
import { circuitOf } from './keyed-candidates.ts';
import type { Override } from './override.ts';
import { averagePrice, defaultWeights, type Measured, type Strategy, scoreOf, type Weights } from './score.ts';

export interface Preferences {
  defaultStrategy: Strategy | null;
  preferredProviders: readonly string[];
  blockedProviders: readonly string[];
  maxPrice: number | null;
  minSuccessRate: number | null;
  maxLatencyMs: number | null;
}

export interface ModelConfig {
  weights: Weights;
  defaultStrategy: Strategy | null;
}

/** Why a candidate is not in the list. */
type Dropped =
  | ('blocked' | 'ignored' | 'not_in_only' | 'not_in_order' | 'over_max_price' | 'lacks_parameter' | 'unfit')
  | Missed;

export interface Scored {
  candidate: Candidate;
  measured: Measured;
  /** After the boost; 0 if dropped. */
  score: number;
  boosted: boolean;
  circuit: CircuitState;
  /**
   * Violates `min_success_rate` or `max_latency_ms` with enough samples to tell, or lacks an optional feature that was
   * requested.
   */
  overSoftLimit: boolean;
  dropped: Dropped | null;
}

export interface RankRequest {
  candidates: readonly Candidate[];
  measured(candidate: Candidate): Measured;
  userId: number;
  /** The state for this user. */
  circuit(key: string, userId: number): CircuitState;
  preferences: Preferences | null;
  config: ModelConfig | null;
  override: Override | null;
  /** Hard requirements of the request (context length, a video size); false drops the candidate. */
  fits?: (candidate: Candidate) => boolean;
  /** Optional requirements; candidates that do not meet them rank behind those that do. */
  suits?: ((candidate: Candidate) => boolean) | undefined;
}

const boost = 1.5;
/** A single slow answer must not demote a provider. */
const samplesForSoftLimits = 5;

/** The request decides before its user, and the user before the operator. */
export const strategyInForce = (request: Pick<RankRequest, 'override' | 'preferences' | 'config'>): Strategy =>
  request.override?.strategy ?? request.preferences?.defaultStrategy ?? request.config?.defaultStrategy ?? 'balanced';

function isOverMaxPrice(candidate: Candidate, override: Override | null, preferences: Preferences | null): boolean {
  const limit = override?.max_price ?? preferences?.maxPrice ?? null;
  if (limit === null) return false;
  if (typeof limit === 'number') return averagePrice(candidate) > limit;
  const { price } = candidate;
  return (
    price.promptPrice > (limit.prompt ?? Number.POSITIVE_INFINITY) ||
    price.completionPrice > (limit.completion ?? Number.POSITIVE_INFINITY) ||
    price.requestPrice > (limit.request ?? Number.POSITIVE_INFINITY)
  );
}

function whyDropped(
  candidate: Candidate,
  request: Pick<RankRequest, 'override' | 'preferences' | 'fits' | 'suits'>,
): Dropped | null {
  const { override, preferences } = request;
  const { provider } = candidate.channel;
  if (preferences?.blockedProviders.includes(provider)) return 'blocked';
  if (override?.ignore?.includes(provider)) return 'ignored';
  if (override?.only && !override.only.includes(provider)) return 'not_in_only';
  if (override?.order?.length && override.allow_fallbacks === false && !override.order.includes(provider)) {
    return 'not_in_order';
  }
  if (isOverMaxPrice(candidate, override, preferences)) return 'over_max_price';
  const missed = override && missedDemand(candidate, override);
  if (missed) return missed;
  if (override?.require_parameters && request.suits?.(candidate) === false) return 'lacks_parameter';
  if (request.fits && !request.fits(candidate)) return 'unfit';
  return null;
}

function missesSoftLimit(measured: Measured, preferences: Preferences | null): boolean {
  if (!preferences || measured.samples < samplesForSoftLimits) return false;
  return (
    (preferences.minSuccessRate !== null && measured.successRate < preferences.minSuccessRate) ||
    (preferences.maxLatencyMs !== null && measured.latencyMs > preferences.maxLatencyMs)
  );
}

/** Whether the user's preferences and the request's limits allow a candidate. */
export const mayBeChosen = (
  candidate: Candidate,
  preferences: Preferences | null,
  override: Override | null,
): boolean => whyDropped(candidate, { preferences, override }) === null;

/** Scores every candidate, including dropped ones, in the given order. */
export function scoreAll(request: RankRequest, strategy: Strategy): Scored[] {
  const { preferences, candidates } = request;
  const weights = request.config?.weights ?? defaultWeights;
  const scored: Scored[] = new Array(candidates.length);
  for (let i = 0; i < candidates.length; i++) {
    const candidate = candidates[i]!;
    const measured = request.measured(candidate);
    const dropped = whyDropped(candidate, request);
    const boosted = preferences?.preferredProviders.includes(candidate.channel.provider) ?? false;
    const score = dropped ? 0 : scoreOf(strategy, candidate, measured, weights) * (boosted ? boost : 1);
    scored[i] = {
      candidate,
      measured,
      score,
      boosted,
      circuit: circuitOf(candidate, request.circuit, request.userId),
      overSoftLimit: missesSoftLimit(measured, preferences) || request.suits?.(candidate) === false,
      dropped,
    };
  }
  return scored;
}

/** Closed circuits before half-open before open; within each, candidates within the soft limits first. */
export const classOf = (one: Scored): number =>
  (one.circuit === 'closed' ? 0 : one.circuit === 'half_open' ? 2 : 4) + (one.overSoftLimit ? 1 : 0);

export const reasonTexts: Record<Dropped, string> = {
  blocked: 'blocked in your preferences',
  ignored: 'ignored by this request',
  not_in_only: 'not among the providers this request allows',
  not_in_order: 'not among the providers this request allows',
  over_max_price: 'above the price limit',
  may_keep_data: 'not known to keep no data, as this request requires',
  other_quantization: 'not known to have a quantization this request allows',
  no_distillation: 'not known to permit distillation, as this request requires',
  lacks_parameter: 'unable to honour every parameter, as this request requires',
  unfit: 'unable to serve this request',
};

/** The limits that excluded candidates, as texts that continue "each one is". */
export const limitsOn = (scored: readonly Scored[]): string[] => [
  ...new Set(scored.flatMap((one) => (one.dropped ? [reasonTexts[one.dropped]] : []))),
];

/** The candidates that no limit excluded; throws if there are none. */
export function candidatesLeft(modelId: string, scored: readonly Scored[]): [Candidate, ...Candidate[]] {
  const [first, ...others] = scored.flatMap(({ dropped, candidate }) => (dropped ? [] : [candidate]));
  if (!first) throw noneEligible(modelId, scored);
  return [first, ...others];
}

/** Limits excluded every candidate. The error names them, because the caller can change them. */
export const noneEligible = (modelId: string, scored: readonly Scored[]): AppError =>
  new AppError(
    'no_eligible_provider',
    `No provider of '${modelId}' is available: each one is ${limitsOn(scored).join(' or ')}.`,
  );

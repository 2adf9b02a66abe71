import type { Candidate } from './candidate.ts';
import { orderByTiers } from './legacy.ts';
import type { Override } from './override.ts';
import { awaitsProbe, halfOpenWeight, leadWithProbe } from './probe.ts';
import { classOf, noneEligible, type RankRequest, type Scored, scoreAll, strategyInForce } from './rank.ts';
import { averagePrice, type Strategy } from './score.ts';

export interface ChooseRequest extends RankRequest {
  modelId: string;
  /** Uniform in [0, 1). */
  random(): number;
  /** Number of requests for this model so far; only used by round-robin. */
  roundRobinCounter: number;
  /** Number of requests for this model so far that could have tested a half-open candidate. */
  probeCounter: number;
  /** For channels without provider models: priority tiers instead of strategies. */
  legacy?: boolean;
}

/** `…_available` and `not_in_order`: others would come before it, but are not available or rank behind. */
export type How =
  | ('drawn' | 'only_one' | 'round_robin' | 'probe' | 'own_key' | 'affinity')
  | ('order' | 'order_available' | 'not_in_order' | 'sort' | 'sort_available' | 'tiers' | 'tiers_available');

/** Why the first candidate is first; rendered as text when the decision is written. */
export interface Reason {
  how: How;
  /** The probability with which it was drawn. */
  chance: number;
  /** How many candidates took part in the draw or the rotation. */
  among: number;
}

export interface Choice {
  /** In the order to try them; the first is the picked one. Open circuits are last. */
  ordered: Candidate[];
  picked: Candidate;
  strategy: Strategy | 'legacy';
  reason: Reason;
  /** The request tested a half-open candidate, or could have. */
  awaitedProbe: boolean;
  /** Every candidate, including dropped ones. */
  scored: Scored[];
}

const drawSize = 3;
/** A score of 0 keeps a small chance, so that a provider that was bad can show that it recovered. */
const smallestWeight = 0.001;

const weightOf = (one: Scored): number =>
  Math.max(one.circuit === 'half_open' ? one.score * halfOpenWeight : one.score, smallestWeight);

/** Sorted by class, then score; ties keep the catalog's order. */
const byRank = (a: Scored, b: Scored): number => classOf(a) - classOf(b) || b.score - a.score;

/**
 * How many candidates take part in the draw: the top 3, without open circuits, and without those over a soft limit if
 * the first one is not. Half-open ones have a reduced weight.
 */
function drawersOf(ranked: readonly Scored[]): number {
  const limitsKept = !ranked[0]!.overSoftLimit;
  let count = 0;
  for (const one of ranked) {
    if (count === drawSize || one.circuit === 'open') break;
    if (limitsKept && one.overSoftLimit) break;
    count += 1;
  }
  return Math.max(count, 1);
}

/** Moves the drawn candidate to the front; the others keep their order by score. */
function draw(ranked: Scored[], random: () => number): Reason {
  const among = Math.min(drawersOf(ranked), ranked.length);
  if (among === 1) return { how: ranked.length === 1 ? 'only_one' : 'drawn', chance: 1, among };
  let total = 0;
  for (let i = 0; i < among; i++) total += weightOf(ranked[i]!);
  let left = random() * total;
  let index = 0;
  while (index < among - 1 && left >= weightOf(ranked[index]!)) {
    left -= weightOf(ranked[index]!);
    index += 1;
  }
  const picked = ranked[index]!;
  ranked.copyWithin(1, 0, index);
  ranked[0] = picked;
  return { how: 'drawn', chance: weightOf(picked) / total, among };
}

/** Rotates the best class by the counter; the rest follows as fallback in the catalog's order. */
function rotate(ranked: Scored[], counter: number): Reason {
  const front = classOf(ranked[0]!);
  let among = 0;
  while (among < ranked.length && classOf(ranked[among]!) === front) among += 1;
  const start = counter % among;
  const turned = ranked.slice(0, among);
  for (let i = 0; i < among; i++) ranked[i] = turned[(start + i) % among]!;
  return { how: 'round_robin', chance: 1, among };
}

type Sort = NonNullable<Override['sort']>;
/** Smaller is better. */
const sortKeys: Record<Sort, (one: Scored) => number> = {
  price: (one) => averagePrice(one.candidate),
  latency: (one) => one.measured.latencyMs,
  throughput: (one) => -(one.measured.throughput ?? 0),
};

function orderBySort(ranked: Scored[], sort: Sort): Reason {
  const key = sortKeys[sort];
  ranked.sort((a, b) => classOf(a) - classOf(b) || key(a) - key(b) || b.score - a.score);
  const best = key(ranked[0]!);
  const how = ranked.some((one) => key(one) < best) ? 'sort_available' : 'sort';
  return { how, chance: 1, among: ranked.length };
}

/**
 * The caller's order takes precedence over half-open circuits and soft limits; only open circuits go last regardless.
 */
function orderAsAsked(ranked: Scored[], order: readonly string[]): Reason {
  const place = (one: Scored): number => {
    if (one.circuit === 'open') return order.length + 1;
    const index = order.indexOf(one.candidate.channel.provider);
    return index < 0 ? order.length : index;
  };
  ranked.sort((a, b) => place(a) - place(b) || byRank(a, b));
  const index = order.indexOf(ranked[0]!.candidate.channel.provider);
  const how = index < 0 ? 'not_in_order' : index > 0 ? 'order_available' : 'order';
  return { how, chance: 1, among: ranked.length };
}

const circuitOrder = { closed: 0, half_open: 1, open: 2 };

function orderLegacy(ranked: Scored[], random: () => number): Reason {
  const ordered = orderByTiers(ranked, (one) => one.candidate.channel, random);
  for (let i = 0; i < ordered.length; i++) ranked[i] = ordered[i]!;
  ranked.sort((a, b) => circuitOrder[a.circuit] - circuitOrder[b.circuit]);
  const { priority } = ranked[0]!.candidate.channel;
  const how = ranked.some((one) => one.candidate.channel.priority > priority) ? 'tiers_available' : 'tiers';
  return { how, chance: 1, among: ranked.length };
}

function arrange(ranked: Scored[], request: ChooseRequest, strategy: Strategy): Reason {
  const { override } = request;
  if (override?.order?.length) return orderAsAsked(ranked, override.order);
  if (override?.sort) return orderBySort(ranked, override.sort);
  if (request.legacy) return orderLegacy(ranked, request.random);
  if (strategy === 'round_robin') {
    // Ignore scores, which only differ by the boost here: it must not affect the rotation.
    ranked.sort((a, b) => classOf(a) - classOf(b));
    return rotate(ranked, request.roundRobinCounter);
  }
  ranked.sort(byRank);
  return draw(ranked, request.random);
}

/** Picks a candidate and orders the others behind it. Pure: randomness, time and state come with the request. */
export function choose(request: ChooseRequest): Choice {
  const strategy = strategyInForce(request);
  const scored = scoreAll(request, strategy);
  const ranked: Scored[] = [];
  for (const one of scored) if (!one.dropped) ranked.push(one);
  if (ranked.length === 0) throw noneEligible(request.modelId, scored);
  let reason = arrange(ranked, request, strategy);
  const { override } = request;
  // With `order`, allow_fallbacks: false has already dropped the candidates it does not name.
  const single = override?.allow_fallbacks === false && !override.order?.length;
  const awaitedProbe = !single && !override?.order?.length && awaitsProbe(ranked);
  if (awaitedProbe && leadWithProbe(ranked, request.probeCounter))
    reason = { how: 'probe', chance: 1, among: ranked.length };
  const length = single ? 1 : ranked.length;
  const ordered: Candidate[] = new Array(length);
  for (let i = 0; i < length; i++) ordered[i] = ranked[i]!.candidate;
  return { ordered, picked: ordered[0]!, strategy: request.legacy ? 'legacy' : strategy, reason, awaitedProbe, scored };
}

/** The same choice with another candidate first, for a reason with higher precedence. */
export function withFirst(choice: Choice, first: Candidate, how: 'own_key' | 'affinity'): Choice {
  const ordered = [first, ...choice.ordered.filter((candidate) => candidate !== first)];
  return { ...choice, ordered, picked: first, reason: { how, chance: 1, among: ordered.length } };
}

/** Orders the caller asked for, and round-robin, take precedence over the affinity of a conversation. */
const explicitOrders: ReadonlySet<How> = new Set<How>([
  ...(['order', 'order_available', 'not_in_order', 'sort', 'sort_available', 'round_robin'] as const),
]);

/**
 * Puts the candidate with the conversation's prompt cache first, if nothing prevents it. `boundTo` is its circuit key.
 */
export function withAffinity(choice: Choice, boundTo: string): Choice {
  const [front] = choice.ordered;
  const bound = choice.ordered.find(({ key }) => boundTo === key || boundTo.startsWith(`${key}|`));
  if (!bound || bound === front || explicitOrders.has(choice.reason.how)) return choice;
  if (choice.strategy === 'legacy' && bound.channel.priority !== front!.channel.priority) return choice;
  const { overSoftLimit } = choice.scored.find((one) => one.candidate === bound)!;
  return overSoftLimit ? choice : withFirst(choice, bound, 'affinity');
}

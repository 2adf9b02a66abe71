import type { Difficulty } from './params.ts';
import { type Kind, minSamples, type Pattern, type Tally, tally, wilson } from './patterns.ts';

interface Priced {
  id: string;
  promptPrice: number;
  completionPrice: number;
}

/**
 * Only visible failures are counted (empty, refused, cut off, wrong format); a model that is out of its depth produces
 * at least as many wrong answers that look fine. So the tolerance is low if the next stronger model costs little more,
 * and grows with the price gap, measured as a share of the hard model's price.
 */
const tolerated = 0.04;
const toleratedPerPrice = 0.2;
/**
 * Success rate a cheaper model must surely have before it takes over, and how close to the usual model's it must be.
 * High, because most wrong answers are not visible: a model without a visible fault in 85 of 100 may well be wrong in
 * 20 more.
 */
const proven = 0.95;
const asGood = 0.02;
/** One task in this many goes to the next cheaper model, to collect samples. */
const triedOnceIn = 10;
/** Failures after which trials stop, unless the usual model fails as often. */
const enoughFailures = 2;
/** A cheaper model is tried only if it costs at most this share of the usual one. */
const worthwhile = 0.5;

/**
 * The model that past outcomes suggest instead of the usual one for a difficulty: a stronger one if the usual one fails
 * at this kind of work, the next cheaper one if it proved as good, or occasionally the next cheaper one as a trial.
 * Null for the usual one. `ladder` holds the chat models, cheapest first.
 */
export function learnedModel(
  patterns: Pattern[],
  ladder: Priced[],
  tiers: Record<Difficulty, string>,
  difficulty: Difficulty,
  kind: Kind,
): string | null {
  const at = (model: string) =>
    tally(patterns, (p) => p.model === model && p.difficulty === difficulty && p.kind === kind);
  const overall = (model: string) => tally(patterns, (p) => p.model === model && p.difficulty === difficulty);
  const unfit = (model: string) => {
    const { successes, failures, samples } = at(model);
    return samples >= minSamples && wilson(successes, failures).high < 1 - tolerance(ladder, tiers.hard, model);
  };
  const usual = tiers[difficulty];
  const place = ladder.findIndex(({ id }) => id === usual);
  const strongest = ladder.findIndex(({ id }) => id === tiers.hard);
  if (unfit(usual)) {
    const stronger = ladder.slice(place + 1, strongest + 1).find(({ id }) => !unfit(id));
    return stronger?.id ?? (difficulty === 'hard' ? null : tiers.hard);
  }
  const cheaper = ladder[place - 1];
  if (difficulty === 'easy' || !cheaper || price(cheaper) > price(ladder[place]!) * worthwhile) return null;
  if (unfit(cheaper.id)) return null;
  return takesOver(overall(cheaper.id), overall(usual)) || isToBeTried(overall(cheaper.id), overall(usual))
    ? cheaper.id
    : null;
}

const price = ({ promptPrice, completionPrice }: Priced): number => promptPrice + completionPrice;
const failureRate = ({ failures, samples }: Tally): number => failures / Math.max(1, samples);

/** The failure rate that is accepted before paying for the next stronger model. */
function tolerance(ladder: Priced[], hard: string, model: string): number {
  const place = ladder.findIndex(({ id }) => id === model);
  const top = ladder.find(({ id }) => id === hard);
  const next = ladder[place + 1];
  const priceGap = top && next && price(top) > 0 ? (price(next) - price(ladder[place]!)) / price(top) : 0;
  return tolerated + toleratedPerPrice * Math.min(1, priceGap);
}

const takesOver = (cheaper: Tally, usual: Tally): boolean =>
  cheaper.samples >= minSamples &&
  wilson(cheaper.successes, cheaper.failures).low >= proven &&
  failureRate(cheaper) <= failureRate(usual) + asGood;

const isToBeTried = (cheaper: Tally, usual: Tally): boolean =>
  usual.samples >= minSamples &&
  (cheaper.samples + 1) * triedOnceIn <= usual.samples + cheaper.samples &&
  (cheaper.failures < enoughFailures || failureRate(cheaper) <= failureRate(usual) + asGood);

import type { Difficulty } from './params.ts';
import { type Kind, minSamples, type Pattern, type Tally, tally, wilson } from './patterns.ts';

interface Priced {
  id: string;
  promptPrice: number;
  completionPrice: number;
}

/**
 * Only failures that show are counted (empty, refused, cut off, of the wrong format), and where a model is out of its
 * depth as many again or more look like answers. So little is tolerated where the next stronger model costs little more,
 * and more where it costs much more: each share of the hard model's price that it costs beyond must be worth it.
 */
const tolerated = 0.04;
const toleratedPerPrice = 0.2;
/**
 * How sure the success of a cheaper model must be before it takes over, and how close to the usual one's. Much, since
 * most wrong answers do not show: a model that surely shows no fault in 85 of 100 may well be wrong in 20 more.
 */
const proven = 0.95;
const asGood = 0.02;
/** One task in so many is tried with the next cheaper model, so that there is something to learn from. */
const triedOnceIn = 10;
/** Failures after which trying it ends, unless the usual model fails as often. */
const enoughFailures = 2;
/** A cheaper model that saves less is not worth the trial. */
const worthwhile = 0.5;

/**
 * What experience says instead of the usual model of a difficulty: a stronger one where it fails at this kind of work,
 * the next cheaper one where that has proved as good, and now and then the next cheaper one to find out. Null for the
 * usual one. `ladder` holds the chat models, cheapest first.
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

/** The failures of a model that are borne rather than paying for the next stronger one. */
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

import type { Difficulty } from './params.ts';
import { type Kind, minSamples, type Pattern, wilson } from './patterns.ts';

interface Priced {
  id: string;
  promptPrice: number;
  completionPrice: number;
}

/**
 * Only failures that show are counted (empty, refused, cut off, of the wrong format), and where a model is out of its
 * depth as many again or more look like answers. So little is tolerated: a model that surely fails more often is unfit.
 */
const tolerated = 0.1;
/**
 * How sure the success of a cheaper model must be before it takes over, and how close to the usual one's. The harder
 * the work, the less a wrong answer shows, so the more it takes.
 */
const proven: Record<Difficulty, number> = { easy: 0.85, medium: 0.85, hard: 0.95 };
const asGood = 0.02;
/** One task in so many is tried with the next cheaper model, so that there is something to learn from. */
const triedOnceIn = 10;
/** Failures after which trying it ends, unless the usual model fails as often. */
const enoughFailures = 2;
/** A cheaper model that saves less is not worth the trial. */
const worthwhile = 0.5;

interface Tally {
  successes: number;
  failures: number;
  samples: number;
}

function tally(patterns: Pattern[], fits: (pattern: Pattern) => boolean): Tally {
  const sum = { successes: 0, failures: 0, samples: 0 };
  for (const pattern of patterns) {
    if (!fits(pattern)) continue;
    sum.successes += pattern.successes;
    sum.failures += pattern.failures;
    sum.samples += pattern.successes + pattern.failures;
  }
  return sum;
}

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
    return samples >= minSamples && wilson(successes, failures).high < 1 - tolerated;
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
  return takesOver(overall(cheaper.id), overall(usual), proven[difficulty]) ||
    isToBeTried(overall(cheaper.id), overall(usual))
    ? cheaper.id
    : null;
}

const price = ({ promptPrice, completionPrice }: Priced): number => promptPrice + completionPrice;
const failureRate = ({ failures, samples }: Tally): number => failures / Math.max(1, samples);

const takesOver = (cheaper: Tally, usual: Tally, sure: number): boolean =>
  cheaper.samples >= minSamples &&
  wilson(cheaper.successes, cheaper.failures).low >= sure &&
  failureRate(cheaper) <= failureRate(usual) + asGood;

const isToBeTried = (cheaper: Tally, usual: Tally): boolean =>
  usual.samples >= minSamples &&
  (cheaper.samples + 1) * triedOnceIn <= usual.samples + cheaper.samples &&
  (cheaper.failures < enoughFailures || failureRate(cheaper) <= failureRate(usual) + asGood);

import type { Difficulty } from './params.ts';

export const kinds = [
  'chat',
  'code',
  'math',
  'writing',
  'extraction',
  'translation',
  'summary',
  'analysis',
  'question',
] as const;
export type Kind = (typeof kinds)[number];

/** Outcomes of one model for one kind of task at one difficulty. */
export interface Pattern {
  kind: Kind;
  difficulty: Difficulty;
  model: string;
  successes: number;
  failures: number;
}

/** Fewer samples are not significant. */
export const minSamples = 5;
/** 95 % confidence. */
const z = 1.96;

/**
 * Samples kept per kind, difficulty and model: at this many, both counts are halved, so that recent outcomes weigh
 * most.
 */
export const mostKept = 200;
/** Outcomes of this age count half: vendors change their models under the same name. */
const halfLifeSeconds = 90 * 86_400;

/** Patterns with their counts reduced by age. */
export const aged = <P extends Pattern & { updatedAt: number }>(patterns: P[], now: number): P[] =>
  patterns.map((pattern) => {
    const weight = 0.5 ** (Math.max(0, now - pattern.updatedAt) / halfLifeSeconds);
    return { ...pattern, successes: pattern.successes * weight, failures: pattern.failures * weight };
  });

/** Wilson score interval of a success rate; few samples give a wide one. */
export function wilson(successes: number, failures: number): { low: number; high: number } {
  const n = successes + failures;
  if (n === 0) return { low: 0, high: 1 };
  const p = successes / n;
  const centre = p + (z * z) / (2 * n);
  const margin = z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n));
  const scale = 1 + (z * z) / n;
  return { low: (centre - margin) / scale, high: (centre + margin) / scale };
}

export interface Tally {
  successes: number;
  failures: number;
  samples: number;
}

/** Sums the matching patterns. */
export function tally(patterns: Pattern[], fits: (pattern: Pattern) => boolean): Tally {
  const sum = { successes: 0, failures: 0, samples: 0 };
  for (const pattern of patterns) {
    if (!fits(pattern)) continue;
    sum.successes += pattern.successes;
    sum.failures += pattern.failures;
    sum.samples += pattern.successes + pattern.failures;
  }
  return sum;
}

/** The success interval of the matching work; null if there are too few samples. */
export function record(...which: Parameters<typeof tally>): { low: number; high: number; samples: number } | null {
  const { successes, failures, samples } = tally(...which);
  return samples < minSamples ? null : { ...wilson(successes, failures), samples };
}

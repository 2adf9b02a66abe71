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

/** What was learned about one model at one kind of task of one difficulty. */
export interface Pattern {
  kind: Kind;
  difficulty: Difficulty;
  model: string;
  successes: number;
  failures: number;
}

/** Fewer samples say nothing. */
export const minSamples = 5;
/** 95 % confidence. */
const z = 1.96;

/** Outcomes kept of a kind, difficulty and model: at so many both counts are halved, so that the latest weigh most. */
export const mostKept = 200;
/** What was seen so long ago counts half: vendors change their models under the same name. */
const halfLifeSeconds = 90 * 86_400;

/** Patterns as they count today. */
export const aged = <P extends Pattern & { updatedAt: number }>(patterns: P[], now: number): P[] =>
  patterns.map((pattern) => {
    const weight = 0.5 ** (Math.max(0, now - pattern.updatedAt) / halfLifeSeconds);
    return { ...pattern, successes: pattern.successes * weight, failures: pattern.failures * weight };
  });

/** Wilson interval of a success rate: what it is at least and at most, few samples giving a wide one. */
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

/** Sums the patterns that fit. */
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

/** How the work that fits has gone; null below the samples needed. */
export function record(...which: Parameters<typeof tally>): { low: number; high: number; samples: number } | null {
  const { successes, failures, samples } = tally(...which);
  return samples < minSamples ? null : { ...wilson(successes, failures), samples };
}

/** Histogram bounds in milliseconds: an answer counts in the first one above its duration; `timed` counts all. */
export const durationBounds = [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000] as const;

type Under = `under_${(typeof durationBounds)[number]}`;

/** What is summed up per span of time. */
export type SpanSums = Record<SpanMeasure | Under, number>;
export type SpanMeasure = 'requests' | 'failures' | 'quota' | 'timed' | 'duration_ms';

const under = durationBounds.map((ms): Under => `under_${ms}`);
export const spanColumns: readonly (keyof SpanSums)[] = [
  ...(['requests', 'failures', 'quota', 'timed', 'duration_ms'] as const),
  ...under,
];

const zero = Object.fromEntries(spanColumns.map((name) => [name, 0])) as SpanSums;
export const noSums = (): SpanSums => ({ ...zero });

/** The column an answer counts in; undefined above the last bound. */
export function underOf(ms: number): Under | undefined {
  let at = 0;
  while (at < durationBounds.length && ms >= durationBounds[at]!) at += 1;
  return under[at];
}

/** Adds `more` or subtracts it. */
export function addSums(sums: SpanSums, more: SpanSums, times: 1 | -1 = 1): void {
  for (const name of spanColumns) sums[name] += times * more[name];
}

/** Assumed upper bound of the slowest answers: twice the last bound, as with the bounds before. */
const longestMs = 128_000;

/** The given percentile of durations, by linear interpolation within its bounds; null without any answers. */
export function durationOf(sums: SpanSums, share: number): number | null {
  if (sums.timed <= 0) return null;
  const wanted = sums.timed * share;
  let counted = 0;
  let lower = 0;
  for (const [at, name] of under.entries()) {
    const upper = durationBounds[at]!;
    if (sums[name] > 0 && counted + sums[name] >= wanted)
      return Math.round(lower + ((wanted - counted) / sums[name]) * (upper - lower));
    counted += sums[name];
    lower = upper;
  }
  const rest = sums.timed - counted;
  return rest > 0 ? Math.round(lower + ((wanted - counted) / rest) * (longestMs - lower)) : lower;
}

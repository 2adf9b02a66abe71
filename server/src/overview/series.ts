import { addSums, durationOf, noSums, type SpanSums } from '../billing/store/span-sums.ts';
import type { SpanGroup } from '../billing/store/usage-spans.ts';

export const measures = ['cost', 'requests', 'failures', 'latency'] as const;
export type Measure = (typeof measures)[number];

/** What series are ranked by; latency by total time. */
export const measuredBy = {
  cost: 'quota',
  requests: 'requests',
  failures: 'failures',
  latency: 'duration_ms',
} as const satisfies Record<Measure, keyof SpanSums>;

export interface Series {
  /** Null for the rest that is not shown separately. */
  group: string | number | null;
  total: SpanSums;
  /** By start time, in order. */
  points: Map<number, SpanSums>;
}

const emptySeries = (group: Series['group']): Series => ({ group, total: noSums(), points: new Map() });

function addTo(series: Series, at: number, sums: SpanSums, times: 1 | -1 = 1): void {
  addSums(series.total, sums, times);
  const point = series.points.get(at) ?? noSums();
  addSums(point, sums, times);
  series.points.set(at, point);
}

/** One series per group, and one for the total. */
export function collect(groups: readonly SpanGroup[]): { series: Series[]; whole: Series } {
  const series = new Map<SpanGroup['group'], Series>();
  const whole = emptySeries(null);
  for (const { at, group, sums } of groups) {
    const one = series.get(group) ?? emptySeries(group);
    series.set(group, one);
    addTo(one, at, sums);
    addTo(whole, at, sums);
  }
  return { series: [...series.values()], whole };
}

/** The largest first. */
export const largest = (series: readonly Series[], measure: Measure, most: number): Series[] =>
  series
    .toSorted(
      (a, b) => b.total[measuredBy[measure]] - a.total[measuredBy[measure]] || b.total.requests - a.total.requests,
    )
    .slice(0, most);

/** The total minus the shown series; null if nothing remains. */
export function restOf(whole: Series, shown: readonly Series[]): Series | null {
  const rest = emptySeries(null);
  for (const [at, sums] of whole.points) addTo(rest, at, sums);
  for (const { points } of shown) for (const [at, sums] of points) addTo(rest, at, sums, -1);
  for (const [at, { requests, failures }] of rest.points) if (requests + failures <= 0) rest.points.delete(at);
  return rest.points.size > 0 ? rest : null;
}

export const viewSums = (sums: SpanSums) => ({
  requests: sums.requests,
  failures: sums.failures,
  quota: sums.quota,
  p50_ms: durationOf(sums, 0.5),
  p95_ms: durationOf(sums, 0.95),
});

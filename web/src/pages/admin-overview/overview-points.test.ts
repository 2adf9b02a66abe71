import { expect, test } from 'bun:test';
import { measures } from './overview-measures.ts';
import { isOne, nameOf, pointsOf } from './overview-points.ts';
import type { Overview } from './overview-query.ts';

const sums = { requests: 1, failures: 0, quota: 5, p50_ms: 10, p95_ms: 20 };
const series = { id: 1, name: 'ann', rest: false, total: sums, points: [{ at: 3_600, ...sums }] };
const overview: Overview = {
  from: 0,
  to: 7_300,
  width_seconds: 3_600,
  total: sums,
  series: [series],
  user: null,
  channel: null,
};

test('intervals without data have a sum of 0 and no latency', () => {
  expect(pointsOf(overview, measures.cost).map(({ s0 }) => s0)).toEqual([0, 5, 0]);
  expect(pointsOf(overview, measures.latency).map(({ s0 }) => s0)).toEqual([null, 20, null]);
});

test('unnamed series have a label, and those without an entity cannot be filtered by', () => {
  const rest = { id: null, name: null, rest: true };
  const known = [series, rest, { id: 0, name: null, rest: false }, { id: 9, name: null, rest: false }];
  expect(known.map((one) => nameOf(one, 'channel'))).toEqual([
    'ann',
    'All others',
    'Built in, or no channel called',
    'Deleted channel 9',
  ]);
  expect(known.map((one) => isOne(one, 'channel'))).toEqual([true, false, false, true]);
  expect(isOne({ id: null, name: '', rest: false }, 'model')).toBe(false);
});

import { describe, expect, test } from 'bun:test';
import { addSparse, bucketCount, bucketOf, percentile, sparse } from './histogram.ts';
import { mergeShares, qualityOf, type Sample, Window } from './window.ts';

const start = 1_700_000_100_000;
const minute = 60_000;
const good = (fields: Partial<Sample> = {}): Sample => ({
  outcome: 'success',
  latencyMs: 1000,
  promptTokens: 10,
  completionTokens: 20,
  wellFormed: true,
  nonEmpty: true,
  ...fields,
});
const bad = (fields: Partial<Sample> = {}): Sample =>
  good({ outcome: 'failure', wellFormed: false, nonEmpty: false, ...fields });

describe('histogram', () => {
  test('nearest-rank percentiles of 1…100 s are within 3.5 %', () => {
    const counts = new Uint32Array(bucketCount);
    for (let s = 1; s <= 100; s++) counts[bucketOf(s * 1000)]! += 1;
    for (const [p, exact] of [
      [0.5, 50_000],
      [0.95, 95_000],
      [0.99, 99_000],
    ] as const) {
      const error = Math.abs(percentile(counts, 100, p)! - exact) / exact;
      expect(error).toBeLessThan(0.036);
    }
    expect(percentile(new Uint32Array(bucketCount), 0, 0.5)).toBeNull();
  });

  test('out-of-range durations go to the first or last bucket', () => {
    expect([Number.NaN, -5, 0, 0.4].map(bucketOf)).toEqual([0, 0, 0, 0]);
    expect(bucketOf(1e15)).toBe(bucketCount - 1);
  });

  test('the sparse form keeps every count', () => {
    const counts = new Uint32Array(bucketCount);
    counts[3] = 7;
    counts[bucketCount - 1] = 2;
    const copy = new Uint32Array(bucketCount);
    expect(addSparse(copy, sparse(counts))).toBe(9);
    expect(copy).toEqual(counts);
  });
});

describe('quality', () => {
  test('10 answers, 8 well-formed, 9 not empty, 3 of 4 structured valid: 0.4 + 0.27 + 0.15 = 0.82', () => {
    expect(qualityOf({ answers: 10, wellFormed: 8, nonEmpty: 9, asked: 4, valid: 3 })).toBeCloseTo(0.82, 12);
  });

  test('moves by 0.3 per cycle and stays unchanged without answers', () => {
    const window = new Window(0.9);
    // Half well-formed, half not empty, nothing structured: 0.25 + 0.15 + 0.2 = 0.6.
    window.add(good(), start);
    window.add(bad(), start);
    window.endCycle();
    expect(window.quality).toBeCloseTo(0.9 + 0.3 * (0.6 - 0.9), 12); // 0.81
    window.add(good({ outcome: 'neutral', wellFormed: false, nonEmpty: false }), start);
    window.endCycle();
    expect(window.quality).toBeCloseTo(0.81, 12);
    window.add(good({ validStructured: false }), start);
    window.endCycle();
    expect(window.quality).toBeCloseTo(0.81 + 0.3 * (0.8 - 0.81), 12); // 0.807
  });
});

describe('metrics of the last hour', () => {
  test('3 successes of 4, latency of successes only, throughput 60 tokens in 3 s', () => {
    const window = new Window(1);
    for (const latencyMs of [500, 1000, 1500]) window.add(good({ latencyMs, ttftMs: latencyMs / 10 }), start);
    window.add(bad({ latencyMs: 90_000 }), start);
    window.add(good({ outcome: 'neutral', latencyMs: 1 }), start);
    const stats = mergeShares([window.share(start)], start);
    expect(stats.samples).toBe(4);
    expect(stats.successRate).toBe(0.75);
    expect(stats.avgLatencyMs).toBe(1000);
    expect(stats.throughput).toBe(20);
    expect(Math.abs(stats.p50Ms! - 1000)).toBeLessThan(36);
    expect(Math.abs(stats.p99Ms! - 1500)).toBeLessThan(54);
    expect(Math.abs(stats.ttftP50Ms! - 100)).toBeLessThan(4);
  });

  test('samples older than an hour are dropped', () => {
    const window = new Window(1);
    window.add(bad(), start);
    window.add(good(), start + 30 * minute);
    const at = (ms: number) => mergeShares([window.share(ms)], ms);
    expect(at(start + 54 * minute).samples).toBe(2);
    expect(at(start + 60 * minute).samples).toBe(1);
    expect(at(start + 60 * minute).successRate).toBe(1);
    expect(at(start + 90 * minute)).toMatchObject({ samples: 0, successRate: null, avgLatencyMs: null, quality: null });
  });

  test('samples of two processes are added, with quality weighted by their counts', () => {
    const [a, b] = [new Window(1), new Window(0.5)];
    for (let i = 0; i < 3; i++) a.add(good({ latencyMs: 1000 }), start);
    b.add(good({ latencyMs: 5000 }), start);
    const stats = mergeShares([a.share(start), b.share(start)], start);
    expect(stats.samples).toBe(4);
    expect(stats.avgLatencyMs).toBe(2000);
    expect(stats.quality).toBeCloseTo((3 * 1 + 0.5) / 4, 12);
  });

  test('memory is bounded: a day of traffic leaves at most twelve slots', () => {
    const window = new Window(1);
    for (let i = 0; i < 24 * 60; i++) window.add(good(), start + i * minute);
    const share = window.share(start + 24 * 60 * minute);
    expect(share.slots.length).toBeLessThanOrEqual(12);
    expect(JSON.stringify(share).length).toBeLessThan(2000);
  });
});

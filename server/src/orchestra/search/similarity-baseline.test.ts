import { expect, test } from 'bun:test';
import { baselineOf, deviationsAbove, relevanceOf } from './similarity-baseline.ts';

/** Spread about normally: what share of the values lies below each is a logistic curve. */
const around = (mean: number, deviation: number, count = 1000) =>
  Array.from({ length: count }, (_, i) => {
    const share = (i + 0.5) / count;
    return mean + (deviation * Math.log(share / (1 - share))) / 1.702;
  });

test("many texts determine an embedder's level and spread", () => {
  const noise = baselineOf(around(0.7, 0.03));
  expect(noise.mean).toBeCloseTo(0.7, 1);
  expect(noise.deviation).toBeLessThan(0.1);
  expect(noise.deviation).toBeGreaterThan(0.029);
});

test('the same cosine stands out with one embedder and not with another', () => {
  expect(deviationsAbove(0.75, baselineOf(around(0.1, 0.1)))).toBeGreaterThan(6);
  expect(deviationsAbove(0.75, baselineOf(around(0.74, 0.05)))).toBeLessThan(1);
  expect(deviationsAbove(0.05, baselineOf(around(0.1, 0.1)))).toBe(0);
});

test('with few or no texts a usual spread is assumed', () => {
  expect(baselineOf([])).toEqual({ mean: 0, deviation: 0.1 });
  expect(deviationsAbove(0.1, baselineOf([0.1]))).toBeGreaterThan(0);
  expect(deviationsAbove(0.9, baselineOf([0.9, 0.1]))).toBeGreaterThan(deviationsAbove(0.1, baselineOf([0.9, 0.1])));
});

test('texts that answer the query are not noise, even if they are a large part of a small store', () => {
  for (const [unrelated, related] of [
    [0, 1],
    [0, 3],
    [7, 3],
    [30, 8],
    [380, 20],
  ]) {
    const noise = baselineOf([...around(0, 0.05, unrelated), ...around(0.45, 0.02, related)]);
    expect(relevanceOf(deviationsAbove(0.45, noise))).toBeGreaterThan(0.5);
    expect(relevanceOf(deviationsAbove(0.1, noise))).toBeLessThan(0.25);
  }
});

test('relevance is between 0 and 1, and 0.5 where chance and meaning are equally likely', () => {
  expect(relevanceOf(0)).toBeLessThan(0.05);
  expect(relevanceOf(3)).toBe(0.5);
  expect(relevanceOf(1000)).toBe(1);
});

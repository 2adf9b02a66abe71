import { expect, test } from 'bun:test';
import { noiseOf, standsOut } from './noise.ts';

const around = (mean: number, deviation: number) =>
  Array.from({ length: 1000 }, (_, i) => mean + (i % 2 ? deviation : -deviation));

test('many texts show level and spread of an embedder', () => {
  const noise = noiseOf(around(0.7, 0.03));
  expect(noise.mean).toBeCloseTo(0.7, 1);
  expect(noise.deviation).toBeLessThan(0.1);
  expect(noise.deviation).toBeGreaterThan(0.03);
});

test('the same cosine stands out with one embedder and not with another', () => {
  expect(standsOut(0.75, noiseOf(around(0.1, 0.1)))).toBeGreaterThan(6);
  expect(standsOut(0.75, noiseOf(around(0.74, 0.05)))).toBeLessThan(1);
  expect(standsOut(0.05, noiseOf(around(0.1, 0.1)))).toBe(0);
});

test('few texts or none are no trouble: a usual spread is assumed', () => {
  expect(noiseOf([])).toEqual({ mean: 0, deviation: 0.1 });
  expect(standsOut(0.1, noiseOf([0.1]))).toBeGreaterThan(0);
  expect(standsOut(0.9, noiseOf([0.9, 0.1]))).toBeGreaterThan(standsOut(0.1, noiseOf([0.9, 0.1])));
});

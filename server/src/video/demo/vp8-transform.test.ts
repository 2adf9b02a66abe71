import { describe, expect, test } from 'bun:test';
import { forwardDct, forwardWht, inverseDct, inverseWht } from './vp8-transform.ts';

const sample = Float64Array.from([12, -7, 90, 33, 5, 5, -80, 2, 0, 61, -3, -3, 14, 8, 100, -100]);

describe('VP8 transforms', () => {
  test.each([
    ['cosine', forwardDct, inverseDct],
    ['Walsh-Hadamard', forwardWht, inverseWht],
  ])('%s: the inverse gives back what went in, within rounding', (_, forward, inverse) => {
    const values = sample.slice();
    forward(values);
    const back = Int32Array.from(values, Math.round);
    inverse(back);
    for (const [at, value] of back.entries()) expect(Math.abs(value - sample[at]!)).toBeLessThanOrEqual(1);
  });
});

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { base62, fromBase62 } from './base62.ts';

const number = fc.maxSafeNat();

test('a number round-trips through text of a known length', () => {
  fc.assert(
    fc.property(number, (value) => {
      expect(base62(value, 9)).toMatch(/^[0-9A-Za-z]{9}$/);
      expect(fromBase62(base62(value, 9))).toBe(value);
    }),
    { examples: [[0], [61], [62], [Number.MAX_SAFE_INTEGER], [62 * Math.floor(Number.MAX_SAFE_INTEGER / 62) - 1]] },
  );
});

test('texts of one length sort like their numbers', () => {
  fc.assert(fc.property(number, number, (one, other) => expect(base62(one, 9) < base62(other, 9)).toBe(one < other)));
});

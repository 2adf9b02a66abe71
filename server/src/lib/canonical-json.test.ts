import { expect, test } from 'bun:test';
import { canonicalJson } from './canonical-json.ts';

const written = (value: unknown): string => JSON.stringify(canonicalJson(value));

test('objects are equal in any key order, arrays only in the same order', () => {
  expect(written({ a: 1, b: { d: [], c: null } })).toBe(written({ b: { c: null, d: [] }, a: 1 }));
  expect(written({ 2: 'x', 10: 'y' })).toBe(written({ 10: 'y', 2: 'x' }));
  expect(written([1, 2])).not.toBe(written([2, 1]));
  expect(written({ a: 1 })).not.toBe(written({ a: '1' }));
});

import { expect, test } from 'bun:test';
import { share } from './share.ts';

test.each([
  [0.9, 0.9],
  [0, 0],
  [1, 1],
  ['0.9', 0.9],
  ['0,9', 0.9],
  [9, 0.9],
  [2, 0.2],
  ['8', 0.8],
  ['8/10', 0.8],
  ['80 / 100', 0.8],
  [95, 0.95],
  ['95%', 0.95],
  ['95 %', 0.95],
  ['1%', 0.01],
  ['1/10', 0.1],
  [1e-7, 1e-7],
] as const)('%p is %p', (given, value) => {
  expect(share.parse(given)).toBeCloseTo(value, 9);
});

test.each(['', ' ', '%', 'NaN', 'high', '1e999', '-1', '12/10', '101', '0.9.1'])('%p is no rating', (given) => {
  expect(share.safeParse(given).success).toBe(false);
});

test.each([-1, 101, Number.NaN, Number.POSITIVE_INFINITY, null, true])('%p is no rating', (given) => {
  expect(share.safeParse(given).success).toBe(false);
});

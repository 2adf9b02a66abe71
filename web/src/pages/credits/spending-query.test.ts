import { expect, test } from 'bun:test';
import { percentages, sharesOf } from './spending-query.ts';

test('reads and writes percentages as shares', () => {
  expect(sharesOf('50, 80, 100')).toEqual([0.5, 0.8, 1]);
  expect(sharesOf('100 % 5%;5')).toEqual([0.05, 1]);
  expect(sharesOf('')).toEqual([]);
  expect(percentages([0.5, 0.8, 1])).toBe('50, 80, 100');
  expect(sharesOf(percentages([0.125, 1]))).toEqual([0.125, 1]);
});

test.each(['0', '101', '-5', 'half', '1e9', 'NaN', '٥٠', Array.from({ length: 21 }, (_, i) => i + 1).join(' ')])(
  '%s is not a list of percentages',
  (text) => {
    expect(sharesOf(text)).toBeNull();
  },
);

import { expect, test } from 'bun:test';
import { amountsFault, amountsIn, quotaPerCent } from './dollar-amounts.ts';

test('amounts are whole dollars, unique and in ascending order', () => {
  expect(amountsIn('')).toEqual([]);
  expect(amountsIn(' 20 5,5\t100 ')).toEqual([5, 20, 100]);
  expect(quotaPerCent).toBe(5_000);
});

test.each(['', '5', '1 10000', ' 5,  10 '])('%p is accepted', (text) => {
  expect(amountsFault(text)).toBeNull();
});

test.each(['0', '10001', '1.5', '-1', 'five', '5;6', Array(21).fill('5').join(' ')])('%p is rejected', (text) => {
  expect(amountsFault(text)).toContain('must be up to 20');
});

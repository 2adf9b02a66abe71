import { expect, test } from 'bun:test';
import { entryOf, spendingOf } from './spending.ts';

test('a spending limit is sent in whole units; an invalid amount gives null', () => {
  expect(spendingOf({ usd: 2.5, window: 'month' })).toEqual({ spending_limit: 1_250_000, spending_window: 'month' });
  expect(spendingOf({ usd: 0, window: 'total' })).toEqual({ spending_limit: 0, spending_window: 'total' });
  for (const usd of ['', '-', -1, 1e12, Number.NaN]) expect(spendingOf({ usd, window: 'total' })).toBeNull();
});

test('the form starts with the saved limit', () => {
  expect(entryOf({ limit: 500_000, window: 'month' })).toEqual({ usd: 1, window: 'month' });
  expect(entryOf(null)).toEqual({ usd: 5, window: 'total' });
});

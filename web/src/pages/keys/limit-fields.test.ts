import { expect, test } from 'bun:test';
import { limitBodyOf, limitFaultsOf, limitFieldsOf, percentsWith, shareUsed } from './limit-fields.ts';

test('a limit in dollars and percent is sent in quota units and shares', () => {
  const fields = { ...limitFieldsOf(undefined), usd: 0.1 + 0.2, alerts: ['100', '12.5'] };
  expect(limitBodyOf(fields)).toEqual({ amount: 150_000, hard: true, alerts: [0.125, 1] });
  const limit = { ...limitBodyOf(fields), key_id: 1, used: 75_000, remaining: 75_000, starts_at: 0, resets_at: 1 };
  expect(limitFieldsOf(limit)).toEqual({ usd: 0.3, hard: true, alerts: ['12.5', '100'] });
  expect(percentsWith(['12.5'])).toEqual(['12.5', '50', '80', '90', '100']);
  expect(limitFaultsOf({ ...fields, usd: '' })).toEqual({});
  expect(limitFaultsOf({ ...fields, usd: -1 }).usd).toBeDefined();
});

test('the usage bar is at most full', () => {
  expect(shareUsed({ used: 1, amount: 4 })).toBe(25);
  expect(shareUsed({ used: 9, amount: 4 })).toBe(100);
  expect(shareUsed({ used: 0, amount: 0 })).toBe(100);
});

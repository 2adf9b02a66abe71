import { expect, test } from 'bun:test';
import { helpOf, shapeOf, shownOf, storedOf, unitOf } from './option-units.ts';

test('numbers go out as they came in, whatever people see', () => {
  const cases: [key: string, value: number, shown: number][] = [
    ['QuotaForNewUser', 1_250_000, 2.5],
    ['QuotaForNewUser', 150_000, 0.3],
    ['BatchPriceFactor', 0.07, 7],
    ['DefaultModelPrice', 0.15, 0.15],
    ['RateLimitV1', 240, 240],
  ];
  for (const [key, value, shown] of cases) {
    expect([key, shownOf(shapeOf(key), value)]).toEqual([key, shown]);
    expect([key, storedOf(shapeOf(key), shown)]).toEqual([key, value]);
  }
});

test('a time is shown in the largest unit that holds it whole', () => {
  expect([86_400, 7_200, 90 * 60, 90, 0].map(unitOf)).toEqual([86_400, 3_600, 60, 1, 1]);
});

test('help speaks no other unit than the input', () => {
  expect(helpOf({ description: 'Lifetime of access tokens, seconds' })).toBe('Lifetime of access tokens');
  expect(helpOf({ description: 'Balance of a new user, in quota (500,000 = 1 USD)' })).toBe('Balance of a new user');
});

import { expect, test } from 'bun:test';
import {
  type OptionName,
  type OptionRule,
  optionTable,
  readOptionValue,
} from '../../../../server/src/identity/option-table.ts';
import { helpOf, isDuration, shapeOf, shownOf, storedOf, unitOf } from './option-units.ts';

test('converting to the displayed unit and back keeps the value', () => {
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

const numbers = (Object.entries(optionTable) as [OptionName, OptionRule][]).filter(
  ([, rule]) => typeof rule.default === 'number',
);

test('the option table contains numbers', () => {
  expect(numbers.length).toBeGreaterThan(20);
});

test.each(numbers)('the input for %s accepts every value that the server accepts', (key, rule) => {
  // Fields take nothing below 0, and write at most 13 digits.
  expect(rule.min).toBeGreaterThanOrEqual(0);
  expect(rule.max).toBeLessThan(1e13);
  if (isDuration(key)) return;
  const shape = shapeOf(key);
  const typed = (value: number) => storedOf(shape, Number(shownOf(shape, value).toFixed(shape.decimals)));
  const values = [rule.min!, rule.max!, rule.default as number, ...(rule.fraction ? [0.05, 0.125, 0.0001] : [7])];
  expect(values.map(typed)).toEqual(values);
  // The smallest step that can be typed, in each direction.
  for (const step of [1, 3].map((times) => shownOf(shape, rule.min!) + times / 10 ** shape.decimals))
    expect({ step, ...readOptionValue(key, storedOf(shape, step)) }).toEqual({ step, value: storedOf(shape, step) });
});

test('a duration is shown in the largest unit that divides it evenly', () => {
  expect([86_400, 7_200, 90 * 60, 90, 0].map(unitOf)).toEqual([86_400, 3_600, 60, 1, 1]);
});

test('the help text does not mention another unit than the input', () => {
  expect(helpOf({ description: 'Lifetime of access tokens, seconds' })).toBe('Lifetime of access tokens');
  expect(helpOf({ description: 'Initial balance of new users, in quota (500,000 = 1 USD)' })).toBe(
    'Initial balance of new users',
  );
  for (const [key, { help }] of numbers)
    if (shapeOf(key).suffix === ' %') expect(helpOf({ description: help })).not.toMatch(/\d/);
});

import { expect, test } from 'bun:test';
import { lastMonthIn } from './months.ts';

test('the previous month is computed in the organisation’s time zone', () => {
  const newYear = new Date(Date.UTC(2026, 11, 31, 23, 30));
  expect(lastMonthIn('UTC', newYear)).toBe('2026-11');
  expect(lastMonthIn('Europe/Vienna', newYear)).toBe('2026-12');
  expect(lastMonthIn('America/Los_Angeles', new Date(Date.UTC(2027, 0, 1, 1)))).toBe('2026-11');
  expect(lastMonthIn('UTC', new Date(Date.UTC(2027, 0, 5)))).toBe('2026-12');
});

import { expect, test } from 'bun:test';
import { addDays, daysBetween, endOf, isDay, startOf } from './dates.ts';

test('accepts only dates that exist', () => {
  expect(isDay('2026-02-28')).toBe(true);
  for (const text of ['', '2026-02-30', '2026-13-01', '28.02.2026', '2026-2-8', '0002-11-02', '1969-12-31'])
    expect(isDay(text)).toBe(false);
});

test('a day covers its first to its last second in UTC', () => {
  expect(startOf('2026-01-31')).toBe(1_769_817_600);
  expect(endOf('2026-01-31')).toBe(1_769_817_600 + 86_399);
  expect(startOf('yesterday')).toBeUndefined();
});

test('counts days across month ends and leap days', () => {
  expect(addDays('2028-02-28', 1)).toBe('2028-02-29');
  expect(daysBetween('2026-02-27', '2026-03-02')).toEqual(['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02']);
  expect(daysBetween('2026-03-02', '2026-03-01')).toEqual([]);
});

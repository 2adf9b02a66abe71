import { expect, test } from 'bun:test';
import { csvAddress, filterOf, rangeOf, usageDefaults } from './usage-range.ts';

const now = Date.parse('2026-03-10T15:00:00Z');

test('a period ends today', () => {
  expect(rangeOf(usageDefaults, now)).toEqual({ first: '2026-02-09', last: '2026-03-10' });
  expect(rangeOf({ ...usageDefaults, days: '1' }, now)).toEqual({ first: '2026-03-10', last: '2026-03-10' });
  expect(rangeOf({ ...usageDefaults, days: 'x' }, now)).toEqual(rangeOf(usageDefaults, now));
});

test('dates take precedence over a period, and an invalid range is corrected', () => {
  const dates = (from: string, to: string) => rangeOf({ days: '7', from, to }, now);
  expect(dates('2026-01-05', '2026-01-07')).toEqual({ first: '2026-01-05', last: '2026-01-07' });
  expect(dates('2026-03-01', '')).toEqual({ first: '2026-03-01', last: '2026-03-10' });
  expect(dates('', '2026-03-01')).toEqual({ first: '2026-03-01', last: '2026-03-01' });
  expect(dates('2026-01-09', '2026-01-07')).toEqual({ first: '2026-01-07', last: '2026-01-07' });
  expect(dates('2020-01-01', '2026-01-01')).toEqual({ first: '2025-01-01', last: '2026-01-01' });
});

test('the filter covers whole days and has only the set fields', () => {
  const filter = filterOf({ ...usageDefaults, days: '1', model: 'a/b', key: '7' }, now);
  expect(filter).toEqual({ from: 1_773_100_800, to: 1_773_187_199, model: 'a/b', token_id: 7 });
  expect(csvAddress(filter)).toBe('/api/usage/logs?format=csv&from=1773100800&to=1773187199&model=a%2Fb&token_id=7');
});

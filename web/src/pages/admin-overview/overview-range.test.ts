import { expect, test } from 'bun:test';
import { askedOf, narrowedTo, overviewDefaults, timesOf } from './overview-range.ts';

const now = Date.parse('2026-05-20T10:00:00Z');
const at = (text: string): number => Date.parse(text) / 1000;

test('limits ranges and dates to the present and to the maximum period', () => {
  expect(timesOf({ ...overviewDefaults, range: 'hour' }, now)).toEqual({
    from: at('2026-05-20T09:00Z'),
    to: now / 1000,
  });
  for (const range of ['nonsense', 'constructor', '__proto__'])
    expect(timesOf({ ...overviewDefaults, range }, now).from).toBe(at('2026-05-19T10:00Z'));
  const dates = (from: string, to: string) => timesOf({ range: 'day', from, to }, now);
  expect(dates('2026-05-01', '2026-05-02')).toEqual({ from: at('2026-05-01T00:00Z'), to: at('2026-05-02T23:59:59Z') });
  expect(dates('2026-05-01', '')).toEqual({ from: at('2026-05-01T00:00Z'), to: now / 1000 });
  expect(dates('2030-01-01', '2030-01-02')).toEqual({ from: now / 1000, to: now / 1000 });
  expect(dates('1990-01-01', '2026-05-02').from).toBe(at('2026-05-02T23:59:59Z') - 186 * 86_400);
});

test('invalid URL parameters fall back to the defaults', () => {
  const asked = askedOf({ ...overviewDefaults, by: 'x', measure: 'y', user: 'z', channel: '-1' });
  expect(asked).toEqual({ by: 'model', measure: 'cost', user_id: undefined, model: undefined, channel_id: undefined });
});

test('opening a series filters by it and groups by the next dimension', () => {
  const byUser = { ...overviewDefaults, by: 'user' };
  expect(narrowedTo(byUser, { id: 7, name: 'ann' })).toEqual({ user: '7', by: 'model' });
  expect(narrowedTo(overviewDefaults, { id: null, name: 'acme/m' })).toEqual({ model: 'acme/m', by: 'user' });
  const both = { ...overviewDefaults, user: '7' };
  expect(narrowedTo(both, { id: null, name: 'acme/m' })).toEqual({ model: 'acme/m', by: 'channel' });
  const all = { ...both, model: 'acme/m', by: 'channel' };
  expect(narrowedTo(all, { id: 3, name: 'c' })).toEqual({ channel: '3', by: 'channel' });
});

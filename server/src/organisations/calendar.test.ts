import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { spans } from '../billing/levels.ts';
import { isTimeZone, windowAt } from './calendar.ts';

const at = (text: string): number => Date.parse(text) / 1000;
const shown = (zone: string, span: 'day' | 'week' | 'month', time: string): string[] => {
  const { startsAt, endsAt } = windowAt(zone, span, at(time));
  return [startsAt, endsAt].map((seconds) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z'));
};

describe('windows start in the organisation’s time zone', () => {
  test.each([
    // Winter and summer, and the days of 23 and 25 hours between them.
    ['Europe/Vienna', 'day', '2026-01-15T22:59:59Z', '2026-01-14T23:00:00Z', '2026-01-15T23:00:00Z'],
    ['Europe/Vienna', 'day', '2026-01-15T23:00:00Z', '2026-01-15T23:00:00Z', '2026-01-16T23:00:00Z'],
    ['Europe/Vienna', 'day', '2026-03-29T12:00:00Z', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
    ['Europe/Vienna', 'day', '2026-10-25T12:00:00Z', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
    ['Europe/Vienna', 'month', '2026-03-31T22:00:00Z', '2026-03-31T22:00:00Z', '2026-04-30T22:00:00Z'],
    ['Europe/Vienna', 'month', '2026-03-31T21:59:59Z', '2026-02-28T23:00:00Z', '2026-03-31T22:00:00Z'],
    // Clocks go forward at midnight: the day begins at one.
    ['America/Havana', 'day', '2026-03-08T12:00:00Z', '2026-03-08T05:00:00Z', '2026-03-09T04:00:00Z'],
    // Half hours, and the ends of the world.
    ['Asia/Kolkata', 'day', '2026-01-01T18:30:00Z', '2026-01-01T18:30:00Z', '2026-01-02T18:30:00Z'],
    ['Pacific/Kiritimati', 'month', '2026-01-31T10:00:00Z', '2026-01-31T10:00:00Z', '2026-02-28T10:00:00Z'],
    ['Pacific/Pago_Pago', 'month', '2026-02-01T10:59:59Z', '2026-01-01T11:00:00Z', '2026-02-01T11:00:00Z'],
    // A year's end, a leap day, and Mondays.
    ['UTC', 'month', '2026-12-31T23:59:59Z', '2026-12-01T00:00:00Z', '2027-01-01T00:00:00Z'],
    ['UTC', 'day', '2028-02-29T00:00:00Z', '2028-02-29T00:00:00Z', '2028-03-01T00:00:00Z'],
    ['UTC', 'week', '2026-11-15T23:59:59Z', '2026-11-09T00:00:00Z', '2026-11-16T00:00:00Z'],
    ['UTC', 'week', '2026-11-16T00:00:00Z', '2026-11-16T00:00:00Z', '2026-11-23T00:00:00Z'],
    ['UTC', 'week', '2027-01-01T12:00:00Z', '2026-12-28T00:00:00Z', '2027-01-04T00:00:00Z'],
  ] as const)('%s, %s, at %s', (zone, span, time, start, end) => {
    expect(shown(zone, span, time)).toEqual([start, end]);
  });

  test('a total has no start and no end', () => {
    expect(windowAt('Europe/Vienna', 'total', at('2026-01-01T00:00:00Z'))).toEqual({ startsAt: 0, endsAt: 0 });
  });
});

test('property: windows are contiguous and contain the given time', () => {
  const zones = ['UTC', 'Europe/Vienna', 'America/Havana', 'Asia/Kolkata', 'Pacific/Apia', 'Australia/Lord_Howe'];
  const times = fc.integer({ min: at('2009-01-01T00:00:00Z'), max: at('2039-12-31T00:00:00Z') });
  fc.assert(
    fc.property(fc.constantFrom(...zones), fc.constantFrom(...spans), times, (zone, span, time) => {
      if (span === 'total') return;
      const { startsAt, endsAt } = windowAt(zone, span, time);
      expect(startsAt).toBeLessThanOrEqual(time);
      expect(endsAt).toBeGreaterThan(time);
      expect(windowAt(zone, span, startsAt)).toEqual({ startsAt, endsAt });
      expect(windowAt(zone, span, endsAt - 1)).toEqual({ startsAt, endsAt });
      expect(windowAt(zone, span, endsAt).startsAt).toBe(endsAt);
    }),
    { numRuns: 60 },
  );
});

test('time zone names', () => {
  for (const name of ['UTC', 'Europe/Vienna', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])
    expect(isTimeZone(name)).toBe(true);
  for (const name of ['', 'Mars/Olympus', '+02:00', 'Europe/Vienna\n', '../../etc', 'x'.repeat(100)])
    expect(isTimeZone(name)).toBe(false);
});

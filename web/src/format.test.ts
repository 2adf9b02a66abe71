import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  clockOf,
  daysNote,
  describeUserAgent,
  formatBytes,
  formatCompact,
  formatExact,
  formatMs,
  formatPercent,
  formatQuota,
  formatTimeAgo,
  formatZoned,
} from './format.ts';
import { speak } from './language/words.ts';
import chinese from './language/zh-CN/index.ts';

test('quota is shown in dollars; small amounts keep their digits', () => {
  expect(formatQuota(50_000_000)).toBe('$100.00');
  expect(formatQuota(1)).toBe('$0.000002');
  expect(formatQuota(-250_000)).toBe('-$0.50');
  expect(formatQuota(0)).toBe('$0.00');
});

/** What a reader adds up: the amount as it is written, in millionths of a dollar. */
const read = (shown: string): bigint => {
  const [, sign, whole, fraction] = /^(-?)\$([\d,]+)\.(\d{2,6})$/.exec(shown)!;
  return BigInt(`${sign}${whole!.replaceAll(',', '')}${fraction!.padEnd(6, '0')}`);
};

test('displayed amounts add up to the displayed sum', () => {
  expect(formatQuota(500_001)).toBe('$1.000002');
  expect(formatQuota(617_283_950_617_283)).toBe('$1,234,567,901.234566');
  // Every line and every sum is a whole number of units that the service can hold.
  const amount = fc.oneof(fc.integer({ min: -1_000_000, max: 1_000_000 }), fc.maxSafeInteger());
  fc.assert(
    fc.property(fc.array(amount, { maxLength: 30 }), (amounts) => {
      const sum = Number(amounts.reduce((a, b) => a + BigInt(b), 0n));
      fc.pre(Number.isSafeInteger(sum));
      const shown = amounts.map((quota) => read(formatQuota(quota)));
      expect(shown.reduce((a, b) => a + b, 0n)).toBe(read(formatQuota(sum)));
    }),
    { numRuns: 2_000 },
  );
});

test('formats times relative to now', () => {
  expect(formatTimeAgo(1000, 1030)).toBe('just now');
  expect(formatTimeAgo(1000, 1000 + 150)).toBe('2 minutes ago');
  expect(formatTimeAgo(0, 90_000)).toBe('yesterday');
  expect(formatTimeAgo(7_200, 0)).toBe('in 2 hours');
});

test('durations below a second are in milliseconds, others in tenths of a second', () => {
  expect([0, 0.02, 0.4, 812.4, 999.4, 999.5, 4_000, 4_060, 1_234_567].map(formatMs)).toEqual([
    ...['0 ms', '0.1 ms', '0.4 ms', '812 ms', '999 ms', '1.0 s', '4.0 s', '4.1 s', '1,234.6 s'],
  ]);
});

test('durations and percentages follow the page’s language', () => {
  speak({ pages: chinese, service: {} });
  expect([formatMs(812), formatMs(4_000), formatPercent(5)]).toEqual(['812 毫秒', '4.0 秒', '5%']);
  speak({ pages: {}, service: {} });
  expect(formatPercent(5)).toBe('5 %');
});

test('hours have the same number of digits with and without a date', () => {
  const early = new Date(2026, 10, 17, 8, 45);
  for (const locale of ['en-US', 'en-GB', 'zh-CN', 'de']) {
    const alone = early.toLocaleTimeString(locale, { timeStyle: 'short' });
    const beside = early.toLocaleString(locale, { month: 'short', day: 'numeric', ...clockOf(locale) });
    expect(beside.endsWith(alone)).toBe(true);
  }
});

test('large counts are abbreviated', () => {
  expect(formatCompact(12_345)).toBe('12.3K');
  expect(formatCompact(7)).toBe('7');
});

test('sizes have one decimal in the fitting unit', () => {
  expect(formatBytes(0)).toBe('0 B');
  expect(formatBytes(812)).toBe('812 B');
  expect(formatBytes(1_234)).toBe('1.2 KB');
  expect(formatBytes(999_949)).toBe('999.9 KB');
  expect(formatBytes(999_950)).toBe('1 MB');
  expect(formatBytes(34_510_000)).toBe('34.5 MB');
});

test('describes devices by their user agent', () => {
  const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36';
  expect(describeUserAgent(chrome)).toBe('Chrome on Linux');
  expect(describeUserAgent('curl/8.5.0')).toBe('curl');
  expect(describeUserAgent('')).toBe('Unknown device');
});

test('exact times include the time zone', () => {
  const at = Date.UTC(2026, 10, 17, 21, 44, 5) / 1000;
  // Some zones differ from UTC by half hours.
  const minute = String(new Date(at * 1000).getMinutes()).padStart(2, '0');
  expect(formatZoned(at)).toMatch(new RegExp(`2026.*:${minute}.* (?:UTC|GMT|[A-Z]{2,5})`));
  expect(formatExact(at)).toMatch(new RegExp(`2026.*:${minute}:05.* (?:UTC|GMT|[A-Z]{2,5})`));
});

test('the note about UTC days names the local time zone if it differs', () => {
  const at = new Date('2026-11-17T12:00:00Z');
  expect(daysNote(Object.assign(at, { getTimezoneOffset: () => 0 }))).toBe('Days are counted in UTC.');
  expect(daysNote(Object.assign(at, { getTimezoneOffset: () => -480 }))).toMatch(
    /times are in your local time zone \(.+\)/,
  );
});

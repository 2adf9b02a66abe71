import { locale, t } from './language/words.ts';

const quotaPerUsd = 500_000;

/** One unit is two millionths of a dollar, so six digits show every amount exactly. */
const digits = 6;
const millionthsPerUnit = 2;

const dollars = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const;
const money = new Intl.NumberFormat(locale, { ...dollars, maximumFractionDigits: digits });
const plain = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 });
/** With grouping, for numbers that are not abbreviated: Chinese abbreviates only from ten thousand, not 4,096. */
const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1, useGrouping: 'always' });
const tenths = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });

/** 500,000 quota = 1 USD. Shows all digits the amount needs, so that displayed items add up to the displayed total. */
export function formatQuota(quota: number): string {
  // Integer arithmetic: as a floating-point number, a large amount would lose its last digits.
  const millionths = BigInt(Math.round(quota * millionthsPerUnit));
  const text = `${millionths < 0n ? -millionths : millionths}`.padStart(digits + 1, '0');
  const exact = `${millionths < 0n ? '-' : ''}${text.slice(0, -digits)}.${text.slice(-digits)}`;
  return money.format(exact as Intl.StringNumericLiteral);
}

/** For prices, which are given in dollars. */
export const formatUsd = (usd: number): string => money.format(usd);

export const formatNumber = (value: number): string => plain.format(value);

/** For counts on cards and axes: 12.3K, 4.5M. */
export const formatCompact = (value: number): string => compact.format(value);

const byteSteps: [string, number][] = [
  ['GB', 1e9],
  ['MB', 1e6],
  ['KB', 1e3],
];

/** File sizes: 812 B, 1.2 KB, 34.5 MB. */
export function formatBytes(bytes: number): string {
  // If rounding reaches the next unit, use that: 1 MB, never 1,000 KB.
  const [unit, size] = byteSteps.find(([, step]) => bytes >= step * 0.99995) ?? ['B', 1];
  return `${tenths.format(bytes / size)} ${unit}`;
}

export const formatDateTime = (unixSeconds: number): string =>
  new Date(unixSeconds * 1000).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' });

const day = { year: 'numeric', month: 'short', day: 'numeric' } as const;

/** With the time zone, for expiry times and times that are compared with another place's. */
export const formatZoned = (unixSeconds: number): string =>
  new Date(unixSeconds * 1000).toLocaleString(locale, { ...day, ...clockOf(locale), timeZoneName: 'short' });

/** To the second and with the time zone, for looking up log entries. */
export const formatExact = (unixSeconds: number): string =>
  new Date(unixSeconds * 1000).toLocaleString(locale, {
    ...day,
    ...clockOf(locale),
    second: '2-digit',
    timeZoneName: 'short',
  });

/** For lists that filter by UTC days but show local times. */
export function daysNote(at = new Date()): string {
  if (at.getTimezoneOffset() === 0) return t('Days are counted in UTC.');
  const parts = new Intl.DateTimeFormat(locale, { timeZoneName: 'short' }).formatToParts(at);
  const zone = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return t('Days are counted in UTC; times are in your local time zone ({zone}).', { zone });
}

/** 24-hour clocks always show two-digit hours, as `timeStyle` does. */
export function clockOf(of: string): Intl.DateTimeFormatOptions {
  const { hour12 } = new Intl.DateTimeFormat(of, { timeStyle: 'short' }).resolvedOptions();
  return { hour: hour12 ? 'numeric' : '2-digit', minute: '2-digit' };
}

/** Without the year, for recent times: 17 Nov, 08:45. */
export const formatDayTime = (unixSeconds: number): string =>
  new Date(unixSeconds * 1000).toLocaleString(locale, { month: 'short', day: 'numeric', ...clockOf(locale) });

/** Time of day, to the minute. */
export const formatClock = (unixSeconds: number): string =>
  new Date(unixSeconds * 1000).toLocaleTimeString(locale, { timeStyle: 'short' });

/** Time of day, to the second. */
export const formatTime = (unixSeconds: number): string =>
  new Date(unixSeconds * 1000).toLocaleTimeString(locale, { timeStyle: 'medium' });

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

export function formatTimeAgo(unixSeconds: number, nowSeconds: number): string {
  const seconds = Math.round(unixSeconds - nowSeconds);
  const [unit, size] = steps.find(([, length]) => Math.abs(seconds) >= length) ?? [];
  if (!unit || !size) return t('just now');
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(Math.trunc(seconds / size), unit);
}

const tenth = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** Durations: 0.4 ms, 812 ms, 4.0 s. */
export function formatMs(ms: number): string {
  // A measured duration never shows as zero.
  if (ms > 0 && ms < 1) return t('{ms} ms', { ms: tenth.format(Math.max(0.1, ms)) });
  const whole = Math.round(ms);
  return whole < 1_000 ? t('{ms} ms', { ms: whole }) : t('{seconds} s', { seconds: tenth.format(ms / 1_000) });
}

const browsers: [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/curl\//, 'curl'],
];
const systems: [RegExp, string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

/** "Firefox on Windows": enough for users to recognise their own devices. */
export function describeUserAgent(userAgent: string): string {
  const find = (table: [RegExp, string][]) => table.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [find(browsers), find(systems)];
  if (browser && system) return t('{browser} on {system}', { browser, system });
  return browser ?? system ?? t('Unknown device');
}

/** Rounds to whole units, as the service does: 0.1 + 0.2 dollars are exactly 150,000. */
export const quotaOfUsd = (usd: number): number => Math.round(usd * quotaPerUsd);
export const usdOfQuota = (quota: number): number => quota / quotaPerUsd;

/** Takes a number from 0 to 100, or its text. */
export const formatPercent = (percent: number | string): string => t('{percent} %', { percent });

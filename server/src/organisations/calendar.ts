import type { Span } from '../billing/levels.ts';

/** A budget's window in Unix seconds; `endsAt` 0 for one without end. */
export interface SpanWindow {
  startsAt: number;
  endsAt: number;
}

/** A calendar date; months start at 1. */
interface LocalDate {
  year: number;
  month: number;
  day: number;
}

/** More than any offset from UTC, plus a clock change. */
const farthestSeconds = 30 * 3_600;

/** Cached: creating one costs as much as a thousand uses. */
const formats = new Map<string, Intl.DateTimeFormat>();
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, calendar: 'gregory', numberingSystem: 'latn' },
    ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
  });
  formats.set(timeZone, made);
  return made;
}

/**
 * Whether a name is in the IANA database. Offsets such as `+02:00` are refused, since they have no daylight saving
 * time.
 */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

function localDate(timeZone: string, seconds: number): LocalDate {
  const parts = formatOf(timeZone).formatToParts(new Date(seconds * 1000));
  const number = (type: string) => Number(parts.find((part) => part.type === type)!.value);
  return { year: number('year'), month: number('month'), day: number('day') };
}

const inOrder = ({ year, month, day }: LocalDate): number => (year * 100 + month) * 100 + day;

/**
 * The first second of a local day, by bisection: this handles clock changes at midnight, skipped days, and days of 23
 * or 25 hours.
 */
function startOf(timeZone: string, date: LocalDate): number {
  const middle = Date.UTC(date.year, date.month - 1, date.day) / 1000;
  let before = middle - farthestSeconds;
  let after = middle + farthestSeconds;
  while (after - before > 1) {
    const between = Math.floor((before + after) / 2);
    if (inOrder(localDate(timeZone, between)) < inOrder(date)) before = between;
    else after = between;
  }
  return after;
}

/** Normalises days beyond the end of a month. */
function plain(year: number, month: number, day: number): LocalDate {
  const date = new Date(Date.UTC(year, month - 1, day));
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** Weeks start on Monday (ISO 8601). */
const sinceMonday = ({ year, month, day }: LocalDate): number =>
  (new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7;

/** The first day of a window, and of the next one. */
const bounds: Record<Exclude<Span, 'total'>, (today: LocalDate) => [LocalDate, LocalDate]> = {
  day: ({ year, month, day }) => [plain(year, month, day), plain(year, month, day + 1)],
  week: (today) => {
    const monday = today.day - sinceMonday(today);
    return [plain(today.year, today.month, monday), plain(today.year, today.month, monday + 7)];
  },
  month: ({ year, month }) => [plain(year, month, 1), plain(year, month + 1, 1)],
};

/** The window of a budget that is open at a time. */
export function windowAt(timeZone: string, span: Span, nowSeconds: number): SpanWindow {
  if (span === 'total') return { startsAt: 0, endsAt: 0 };
  const [first, next] = bounds[span](localDate(timeZone, nowSeconds));
  return { startsAt: startOf(timeZone, first), endsAt: startOf(timeZone, next) };
}

/** A month by name, such as `2026-11`; its middle is in it in every time zone. */
export const monthCalled = (timeZone: string, name: string): SpanWindow =>
  windowAt(timeZone, 'month', Date.parse(`${name}-15T12:00:00Z`) / 1000);

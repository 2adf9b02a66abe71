/** A day or a whole month named in a text; without a year it matches any year. */
export interface NamedDate {
  year: number | null;
  /** 1-12. */
  month: number;
  day: number | null;
}

/** Languages whose month names are recognized; they cover most queries. */
const languages = 'en de fr es it pt nl pl cs ru uk tr sv da nb fi'.split(' ');
/** Characters of a query that are read: a date is in its first words if anywhere, and a pasted log is full of dates. */
const longestRead = 2_000;
const mostDates = 8;

const plain = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '');

let known: Map<string, number> | null = null;

/** Built on first use: month names standing alone and next to a day, because some languages inflect them. */
function namesOfMonths(): Map<string, number> {
  if (known) return known;
  known = new Map();
  for (const language of languages) {
    for (const day of [undefined, 'numeric'] as const) {
      const format = new Intl.DateTimeFormat(language, { month: 'long', day, timeZone: 'UTC' });
      for (let month = 1; month <= 12; month += 1) {
        const parts = format.formatToParts(Date.UTC(2024, month - 1, 15));
        const name = plain(parts.find(({ type }) => type === 'month')?.value ?? '');
        if (name !== '' && !known.has(name)) known.set(name, month);
      }
    }
  }
  return known;
}

/** Words between a day, a month and a year, and suffixes of day numbers. */
const between = new Set('of de del di st nd rd th er'.split(' '));
const isDay = (word: string | undefined): word is string => /^\d{1,2}$/.test(word ?? '');
const isYear = (word: string | undefined): word is string => /^(?:19|20)\d\d$/.test(word ?? '');

/** A month name counts only next to a number: "may" and "march" are ordinary words as well. */
function namedIn(text: string): NamedDate[] {
  const months = namesOfMonths();
  const words = (plain(text).match(/\p{L}+|\d+/gu) ?? []).filter((word) => !between.has(word));
  return words.flatMap((word, i) => {
    const month = months.get(word);
    if (month === undefined) return [];
    const dayBehind = !isDay(words[i - 1]) && isDay(words[i + 1]);
    const day = dayBehind ? words[i + 1] : isDay(words[i - 1]) ? words[i - 1] : undefined;
    const year = words[dayBehind ? i + 2 : i + 1];
    if (day === undefined && !isYear(year)) return [];
    return [{ year: isYear(year) ? Number(year) : null, month, day: numberOf(day) }];
  });
}

/** Matches 2023-05-08, 2023-05, 2023年5月8日 and 2023년 5월 8일, */
const numbered = /(?<!\d)(?<year>(?:19|20)\d\d)(?:-|年|년 ?)(?<month>\d{1,2})(?:(?:-|月|월 ?)(?<day>\d{1,2})(?!\d))?/gu;
/** and 5月8日 or 5월 8일 without a year. */
const dayOfMonth = /(?<![\d年년]|년 )(?<month>\d{1,2})(?:月|월 ?)(?<day>\d{1,2})[日号號일]/gu;

/** The dates named in a query. */
export function datesIn(text: string): NamedDate[] {
  const read = text.slice(0, longestRead);
  // Most queries contain no digit, and so no date.
  if (!/\d/.test(read)) return [];
  const found = namedIn(read);
  for (const { groups = {} } of [...read.matchAll(numbered), ...read.matchAll(dayOfMonth)])
    found.push({ year: numberOf(groups.year), month: Number(groups.month), day: numberOf(groups.day) });
  return found.filter(({ month, day }) => month >= 1 && month <= 12 && (day ?? 1) <= 31).slice(0, mostDates);
}

const numberOf = (digits: string | undefined): number | null => (digits === undefined ? null : Number(digits));

/** Time zones reach from UTC+14 to UTC-12, and the user's is unknown: the day is extended by these hours. */
const hoursAhead = 14;
const hoursBehind = 12;
const hour = 3_600_000;

/** Whether the moment lies on that day, or in that month, in any time zone. */
export function isOn(atMs: number, { year, month, day }: NamedDate): boolean {
  const said = new Date(atMs).getUTCFullYear();
  // Without a year, a date around New Year may belong to either year.
  for (const one of year === null ? [said - 1, said, said + 1] : [year]) {
    const from = Date.UTC(one, month - 1, day ?? 1);
    const to = day === null ? Date.UTC(one, month, 1) : from + 24 * hour;
    if (atMs >= from - hoursAhead * hour && atMs < to + hoursBehind * hour) return true;
  }
  return false;
}

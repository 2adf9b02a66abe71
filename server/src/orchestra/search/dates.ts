/** A day, or a whole month, that a text names; without a year it is that of any. */
export interface NamedDate {
  year: number | null;
  /** 1-12. */
  month: number;
  day: number | null;
}

/** Languages whose names of months are known: those of the larger part of what is asked. */
const languages = 'en de fr es it pt nl pl cs ru uk tr sv da nb fi'.split(' ');
/** Of a question; a date comes in its first words or hardly at all, and a pasted log is full of them. */
const longestRead = 2_000;
const mostDates = 8;

const plain = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '');

let known: Map<string, number> | null = null;

/** Made when first needed: names of months as they stand alone and beside a day, which some languages write in another case. */
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

/** What stands between a day, a month and a year, or behind the number of a day. */
const between = new Set('of de del di st nd rd th er'.split(' '));
const isDay = (word: string | undefined): word is string => /^\d{1,2}$/.test(word ?? '');
const isYear = (word: string | undefined): word is string => /^(?:19|20)\d\d$/.test(word ?? '');

/** A name of a month counts only beside a number: "may" and "march" are other words as well. */
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

/** 2023-05-08, 2023-05 and 2023年5月8日. */
const numbered = /(?<!\d)(?<year>(?:19|20)\d\d)(?:-|年)(?<month>\d{1,2})(?:(?:-|月)(?<day>\d{1,2})(?!\d))?/gu;

/** The dates a question names. */
export function datesIn(text: string): NamedDate[] {
  const read = text.slice(0, longestRead);
  // Most questions hold no number at all, and so no date.
  if (!/\d/.test(read)) return [];
  const found = namedIn(read);
  for (const { groups = {} } of read.matchAll(numbered))
    found.push({ year: Number(groups.year), month: Number(groups.month), day: numberOf(groups.day) });
  return found.filter(({ month, day }) => month >= 1 && month <= 12 && (day ?? 1) <= 31).slice(0, mostDates);
}

const numberOf = (digits: string | undefined): number | null => (digits === undefined ? null : Number(digits));

/** It is the same day somewhere on Earth so many hours before and after it is in Greenwich; nobody says where they are. */
const hoursAhead = 14;
const hoursBehind = 12;
const hour = 3_600_000;

/** Whether that moment lies on the day, or in the month, wherever it was said. */
export function isOn(atMs: number, { year, month, day }: NamedDate): boolean {
  const said = new Date(atMs).getUTCFullYear();
  // Without a year, one around New Year may belong to either.
  for (const one of year === null ? [said - 1, said, said + 1] : [year]) {
    const from = Date.UTC(one, month - 1, day ?? 1);
    const to = day === null ? Date.UTC(one, month, 1) : from + 24 * hour;
    if (atMs >= from - hoursAhead * hour && atMs < to + hoursBehind * hour) return true;
  }
  return false;
}

/** Calendar days in the format of URLs and date inputs (`2026-01-31`), in UTC like the usage totals of the service. */

const dayMs = 86_400_000;

/** Since 1970: the service takes no earlier times. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && Date.parse(text) >= 0 && dayOf(Date.parse(text)) === text;

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export const addDays = (day: string, count: number): string => dayOf(Date.parse(day) + count * dayMs);

/** First second of the day in Unix seconds; undefined if the day is invalid. */
export const startOf = (day: string): number | undefined => (isDay(day) ? Date.parse(day) / 1000 : undefined);

/** Last second of the day in Unix seconds; undefined if the day is invalid. */
export const endOf = (day: string): number | undefined => (isDay(day) ? Date.parse(day) / 1000 + 86_399 : undefined);

/** Every day from first to last, inclusive. */
export function daysBetween(first: string, last: string): string[] {
  const count = Math.round((Date.parse(last) - Date.parse(first)) / dayMs) + 1;
  return Array.from({ length: Math.max(count, 0) }, (_, index) => addDays(first, index));
}

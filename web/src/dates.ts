/** Calendar days as the address and date inputs write them: `2026-01-31`, in UTC, as the service adds up usage. */

const dayMs = 86_400_000;

export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) && dayOf(Date.parse(text)) === text;

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export const addDays = (day: string, count: number): string => dayOf(Date.parse(day) + count * dayMs);

/** First second of the day, Unix seconds; undefined when it is no day. */
export const startOf = (day: string): number | undefined => (isDay(day) ? Date.parse(day) / 1000 : undefined);

/** Last second of the day. */
export const endOf = (day: string): number | undefined => (isDay(day) ? Date.parse(day) / 1000 + 86_399 : undefined);

/** Every day from the first to the last, both included. */
export function daysBetween(first: string, last: string): string[] {
  const count = Math.round((Date.parse(last) - Date.parse(first)) / dayMs) + 1;
  return Array.from({ length: Math.max(count, 0) }, (_, index) => addDays(first, index));
}

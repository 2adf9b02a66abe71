/** The previous month in the given time zone, which is the one that bookkeeping closes. */
export function lastMonthIn(timeZone: string, now: Date): string {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone, year: 'numeric', month: 'numeric' }).formatToParts(now);
  const number = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const [year, month] = [number('year'), number('month')];
  return month === 1 ? `${year - 1}-12` : `${year}-${String(month - 1).padStart(2, '0')}`;
}

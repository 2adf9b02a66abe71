/** Codes as a CSV file. Built in the browser, because the service shows the codes only once and does not store them. */
export function codesFile(codes: { id: number; code: string }[]): string {
  const lines = ['id,code', ...codes.map(({ id, code }) => `${id},${code}`)];
  return `data:text/csv;charset=utf-8,${encodeURIComponent(`${lines.join('\r\n')}\r\n`)}`;
}

/** The month of a date in UTC, like the service. */
export const monthOf = (date: Date): string => date.toISOString().slice(0, 7);

/** The previous month, for which the books are being closed. */
export function lastMonth(now: Date): string {
  return monthOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1)));
}

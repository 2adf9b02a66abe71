/** Codes as a file, a line each: made here, since the service shows them once and keeps none. */
export function codesFile(codes: { id: number; code: string }[]): string {
  const lines = ['id,code', ...codes.map(({ id, code }) => `${id},${code}`)];
  return `data:text/csv;charset=utf-8,${encodeURIComponent(`${lines.join('\r\n')}\r\n`)}`;
}

/** The month of a date, as the service counts them. */
export const monthOf = (date: Date): string => date.toISOString().slice(0, 7);

/** The month before, which is the one that books are closed for. */
export function lastMonth(now: Date): string {
  return monthOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1)));
}

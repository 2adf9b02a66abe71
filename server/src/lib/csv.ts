export type Cell = string | number | boolean | null | undefined;

export const csvLine = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`;

/**
 * RFC 4180 quoting. Spreadsheets execute cells that start with `= + - @`, or with white space before one of these, as
 * formulas; an apostrophe makes them text.
 */
export function csvCell(value: Cell): string {
  if (typeof value !== 'string') return `${value ?? ''}`;
  const safe = /^[=+\-@\t\r\n＝＋－＠]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

/** Search, sorting and paging for lists that are fully loaded. */

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** Rows that contain every typed word. */
export function filterRows<Row>(rows: Row[], typed: string, textOf: (row: Row) => string): Row[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const text = textOf(row).toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export type SortValue = string | number;

const compare = (one: SortValue, other: SortValue): number =>
  typeof one === 'number' && typeof other === 'number' ? one - other : collator.compare(String(one), String(other));

/** Stable in both directions: equal rows keep their order. */
export function sortRows<Row>(rows: Row[], value: (row: Row) => SortValue, descending: boolean): Row[] {
  const sign = descending ? -1 : 1;
  return rows.toSorted((one, other) => sign * compare(value(one), value(other)));
}

/** Browsers take seconds to render some hundred rows with their menus. */
export const listPageSize = 50;

/** Falls back to the last page if the page no longer exists, because rows were deleted. */
export function pageOfRows<Row>(rows: Row[], page: number, pageSize: number): { page: number; rows: Row[] } {
  const shown = Math.min(page, Math.max(1, Math.ceil(rows.length / pageSize)));
  return { page: shown, rows: rows.slice((shown - 1) * pageSize, shown * pageSize) };
}

interface Paged {
  page: number;
  pageSize: number;
  total: number;
}

/** How far beyond its page the service counts a long list, and the credits page's list of entries. */
const countedPast = [1_000, 100];

/** Whether there may be more rows than `total`: the service counts long lists only this far. */
export const isAtLeast = ({ page, pageSize, total }: Paged): boolean => countedPast.includes(total - page * pageSize);

/** The page to show instead of an empty one: rows were deleted since, or the address names a page that never was. */
export const lastPage = ({ page, pageSize, total }: Paged): number =>
  Math.max(1, Math.min(Math.ceil(total / pageSize), page - 1));

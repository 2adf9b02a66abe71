/** A list that is here as a whole, as somebody wants to see it. */

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** Rows in which every word that was typed occurs. */
export function foundIn<Row>(rows: Row[], typed: string, textOf: (row: Row) => string): Row[] {
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

/** Equal ones stay in their order, whichever way. */
export function sortedBy<Row>(rows: Row[], value: (row: Row) => SortValue, descending: boolean): Row[] {
  const sign = descending ? -1 : 1;
  return rows.toSorted((one, other) => sign * compare(value(one), value(other)));
}

/** Of a page that is no more, the last: rows may have been deleted meanwhile. */
export function pageOf<Row>(rows: Row[], page: number, pageSize: number): { page: number; rows: Row[] } {
  const shown = Math.min(page, Math.max(1, Math.ceil(rows.length / pageSize)));
  return { page: shown, rows: rows.slice((shown - 1) * pageSize, shown * pageSize) };
}

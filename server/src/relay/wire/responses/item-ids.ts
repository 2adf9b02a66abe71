/**
 * Ids of a response's items, derived from the response id: unique, and an item can be found by its id alone. `mark`
 * distinguishes two lists of one response.
 */
export function itemIds(responseId: string, mark = ''): (prefix: string) => string {
  const stem = responseId.slice(responseId.indexOf('_') + 1);
  let next = 0;
  return (prefix) => {
    next += 1;
    return `${prefix}_${stem}_${mark}${next}`;
  };
}

/** The response an item id is derived from; null for other ids. */
export function namesake(itemId: string): string | null {
  const first = itemId.indexOf('_');
  const last = itemId.lastIndexOf('_');
  return last > first + 1 ? `resp_${itemId.slice(first + 1, last)}` : null;
}

/**
 * Names for the items of a response, after the response: unique as its own name is, and whoever keeps it finds an item by
 * its name alone. `mark` tells two lists of one response apart.
 */
export function itemIds(responseId: string, mark = ''): (prefix: string) => string {
  const stem = responseId.slice(responseId.indexOf('_') + 1);
  let next = 0;
  return (prefix) => {
    next += 1;
    return `${prefix}_${stem}_${mark}${next}`;
  };
}

/** The response that an item is named after; null for one that has another name. */
export function namesake(itemId: string): string | null {
  const first = itemId.indexOf('_');
  const last = itemId.lastIndexOf('_');
  return last > first + 1 ? `resp_${itemId.slice(first + 1, last)}` : null;
}

export type Names = Record<number, string>;

export interface NamePage {
  names: Names;
  /** No page follows. */
  last: boolean;
}

/**
 * The names of some ids, from a list that pages from the newest id down. Ends when all are found or can no longer come, and
 * after `mostPages` at the latest: names are a help, not worth reading a whole table for.
 */
export async function findNames(
  ids: number[],
  read: (page: number) => Promise<NamePage>,
  mostPages: number,
): Promise<Names> {
  const found: Names = {};
  let missing = ids;
  for (let page = 1; page <= mostPages && missing.length > 0; page += 1) {
    const { names, last } = await read(page);
    for (const id of missing) if (names[id] !== undefined) found[id] = names[id];
    const oldest = Math.min(...Object.keys(names).map(Number));
    missing = missing.filter((id) => found[id] === undefined && id < oldest);
    if (last) break;
  }
  return found;
}

export const distinctIds = (ids: (number | null)[]): number[] =>
  [...new Set(ids.filter((id) => id !== null))].sort((a, b) => a - b);

import type { Db } from '../platform/db/tables.ts';
import { pendingRequests } from './store/requests.ts';
import type { RequestRow } from './store/tables.ts';

const rowsAtOnce = 100;

/** Reads the requests without an outcome one by one, in pages: those after a position first, then those before. */
export function newReader(db: Db, ref: number, from: number): () => Promise<RequestRow | undefined> {
  let rows: RequestRow[] = [];
  let last = from;
  let most = Number.POSITIVE_INFINITY;
  let reading: Promise<void> | null = null;
  let ended = false;
  const page = async () => {
    const found = await pendingRequests(db, ref, last, rowsAtOnce);
    return found.filter(({ position }) => position <= most);
  };
  const read = async () => {
    rows = await page();
    if (rows.length === 0 && most > from) {
      [last, most] = [0, from];
      rows = await page();
    }
    last = rows.at(-1)?.position ?? last;
    ended = rows.length === 0;
  };
  return async () => {
    while (rows.length === 0 && !ended) {
      reading ??= read().finally(() => {
        reading = null;
      });
      await reading;
    }
    return rows.shift();
  };
}

import type { Db } from '../platform/db/tables.ts';
import { deleteOldUsage } from './store/usage.ts';

/** Rows of one delete: a sweep must never hold the writer for long. */
const batch = 200;
/** A sweep that found a mountain goes on at its next turn. */
const mostBatches = 500;

/** Deletes single entries from before `before`; their sums per day stay, and with them the books add up. */
export async function sweepUsage(db: Db, before: number): Promise<number> {
  let gone = 0;
  for (let i = 0; i < mostBatches; i += 1) {
    const deleted = await deleteOldUsage(db, before, batch);
    gone += deleted;
    if (deleted < batch) break;
    await new Promise(setImmediate);
  }
  return gone;
}

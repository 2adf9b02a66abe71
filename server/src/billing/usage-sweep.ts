import { inBatches, sweepBatch } from '../platform/db/in-batches.ts';
import type { Db } from '../platform/db/tables.ts';
import { deleteOldUsage } from './store/usage.ts';

/** Deletes single entries from before `before`; their sums per day stay, and with them the books add up. */
export const sweepUsage = (db: Db, before: number): Promise<number> =>
  inBatches(() => deleteOldUsage(db, before, sweepBatch));

import type { Db } from '../platform/db/tables.ts';
import { sweepFailures } from './store/failures.ts';
import { sweepKept } from './store/kept-answers.ts';
import { createMonthPartitions } from './store/month-partitions.ts';
import { sweepUsage } from './store/usage.ts';

/** Creates the tables of the coming months and deletes usage beyond its retention. */
export async function sweepBilling(db: Db, now: number, keptDays: number): Promise<void> {
  const before = now - keptDays * 86_400;
  await createMonthPartitions(db, now);
  await sweepUsage(db, before);
  await sweepFailures(db, before);
  await sweepKept(db, now);
}

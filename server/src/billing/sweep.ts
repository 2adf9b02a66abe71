import type { Db } from '../platform/db/tables.ts';
import { sweepFailures } from './store/failures.ts';
import { sweepKept } from './store/kept-answers.ts';
import { makeMonths } from './store/months.ts';
import { sweepUsage } from './store/usage.ts';

/** Makes the tables of the months to come, and throws out what is older than the usage log is kept. */
export async function sweepBilling(db: Db, now: number, keptDays: number): Promise<void> {
  const before = now - keptDays * 86_400;
  await makeMonths(db, now);
  await sweepUsage(db, before);
  await sweepFailures(db, before);
  await sweepKept(db, now);
}

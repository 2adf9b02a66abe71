import { nowSeconds } from '../../lib/clock.ts';
import { inBatches, sweepBatches } from '../../platform/db/pages.ts';
import type { Room } from '../room.ts';
import { deleteUnused } from '../store/unowned.ts';

/** Whoever was asked and did not answer has a day for it; then the document is read anew. */
const documentSeconds = 86_400;
/** As the guide says to those who register: a client that nobody has allowed in this time is not coming. */
const registrationSeconds = 30 * 86_400;

/** Deletes clients without an owner that nobody has allowed: anybody can make them, so they must not pile up. */
export function openClientSweep({
  db,
  clock,
  lookups,
}: Pick<Room, 'db' | 'clock'> & { lookups: Pick<Room['lookups'], 'forget'> }): () => Promise<number> {
  /** The id up to which they were looked at, for the next sweep to go on from; 0 is the beginning. */
  let looked = 0;

  return async () => {
    const now = nowSeconds(clock);
    const before = { document: now - documentSeconds, registration: now - registrationSeconds };
    let gone = 0;
    await inBatches(async (most) => {
      const step = await deleteUnused(db, before, looked, most);
      gone += step.gone;
      looked = step.upTo ?? 0;
      return step.upTo === null ? 0 : most;
    }, sweepBatches);
    if (gone > 0) lookups.forget();
    return gone;
  };
}

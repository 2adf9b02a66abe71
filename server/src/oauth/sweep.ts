import { nowSeconds } from '../lib/clock.ts';
import { inBatches, sweepBatches } from '../platform/db/pages.ts';
import type { Room } from './room.ts';
import { deleteOldCodes } from './store/consents.ts';
import { deleteOldDeviceCodes } from './store/device-codes.ts';
import { deleteOldProofs } from './store/proofs.ts';
import { deleteOldPushed } from './store/pushed-requests.ts';
import { deleteExpiredTokens } from './store/tokens.ts';

/** A used code is kept a day past its end, so that a later replay still takes its tokens back. */
const replaySeconds = 86_400;
/** A device that asks late is still told that its code has expired. */
const lateSeconds = 3_600;

/** Deletes what has run out, in bounded steps with room for requests in between; consents never run out. */
export function openSweep(deps: Pick<Room, 'db' | 'clock'>): () => Promise<number> {
  const { db } = deps;
  /** The id up to which tokens were looked at, for the next sweep to go on from; 0 is the beginning. */
  let looked = 0;

  return async () => {
    const now = nowSeconds(deps.clock);
    let gone = await inBatches((most) => deleteOldCodes(db, now - replaySeconds, most), sweepBatches);
    gone += await inBatches((most) => deleteOldDeviceCodes(db, now - lateSeconds, most), sweepBatches);
    gone += await inBatches((most) => deleteOldPushed(db, now, most), sweepBatches);
    gone += await inBatches((most) => deleteOldProofs(db, now, most), sweepBatches);
    await inBatches(async (most) => {
      const step = await deleteExpiredTokens(db, now, looked, most);
      gone += step.gone;
      looked = step.upTo ?? 0;
      return step.upTo === null ? 0 : most;
    }, sweepBatches);
    return gone;
  };
}

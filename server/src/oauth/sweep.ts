import { nowSeconds } from '../lib/clock.ts';
import { inBatches, sweepBatches } from '../platform/db/pages.ts';
import type { OAuthContext } from './context.ts';
import { deleteOldCodes } from './store/consents.ts';
import { deleteOldDeviceCodes } from './store/device-codes.ts';
import { deleteOldProofs } from './store/proofs.ts';
import { deleteOldPushed } from './store/pushed-requests.ts';
import { deleteExpiredTokens } from './store/tokens.ts';

/** A used code is kept for a day past its expiry, so that a later replay still revokes its tokens. */
const replaySeconds = 86_400;
/** A device that polls late is still told that its code has expired. */
const lateSeconds = 3_600;

/** Deletes expired data in bounded steps, yielding to requests; consents never expire. */
export function openSweep(deps: Pick<OAuthContext, 'db' | 'clock'>): () => Promise<number> {
  const { db } = deps;
  /** The last token id visited, for the next sweep to continue from; 0 is the start. */
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

import { nowSeconds } from '../lib/clock.ts';
import { inBatches, mostBatches, sweepBatch } from '../platform/db/in-batches.ts';
import type { Room } from './room.ts';
import { deleteOldAudit } from './store/audit.ts';
import { deleteOldCodes } from './store/consents.ts';
import { deleteExpiredTokens } from './store/tokens.ts';

/** A used code is kept a day past its end, so that a later replay still takes its tokens back. */
const replaySeconds = 86_400;
const daySeconds = 86_400;

/** Deletes what has run out, in bounded steps with room for requests in between; consents never run out. */
export function openSweep(deps: Pick<Room, 'db' | 'clock' | 'options'>): () => Promise<number> {
  const { db } = deps;
  /** The id up to which tokens were looked at, for the next sweep to go on from; 0 is the beginning. */
  let looked = 0;

  const sweepTokens = async (now: number): Promise<number> => {
    let gone = 0;
    for (let i = 0; i < mostBatches; i += 1) {
      const step = await deleteExpiredTokens(db, now, looked, sweepBatch);
      gone += step.gone;
      looked = step.upTo ?? 0;
      if (step.upTo === null) break;
      await new Promise(setImmediate);
    }
    return gone;
  };

  return async () => {
    const now = nowSeconds(deps.clock);
    const oldest = now - deps.options.get('AuditLogDays') * daySeconds;
    const codes = await inBatches(() => deleteOldCodes(db, now - replaySeconds, sweepBatch));
    const tokens = await sweepTokens(now);
    return codes + tokens + (await inBatches(() => deleteOldAudit(db, oldest, sweepBatch)));
  };
}

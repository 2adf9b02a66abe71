import { nowSeconds } from '../lib/clock.ts';
import type { Room } from './room.ts';
import { deleteOldAudit } from './store/audit.ts';
import { deleteOldCodes } from './store/consents.ts';
import { deleteExpiredTokens } from './store/tokens.ts';

/** Rows of one delete: a sweep must never hold the writer for long. */
const batch = 200;
/** A sweep that found a mountain goes on at its next turn. */
const mostBatches = 500;
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
      const step = await deleteExpiredTokens(db, now, looked, batch);
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
    const codes = await repeat(() => deleteOldCodes(db, now - replaySeconds, batch));
    const tokens = await sweepTokens(now);
    return codes + tokens + (await repeat(() => deleteOldAudit(db, oldest, batch)));
  };
}

/** As long as there is a whole batch to delete. */
async function repeat(step: () => Promise<number>): Promise<number> {
  let gone = 0;
  for (let i = 0; i < mostBatches; i += 1) {
    const count = await step();
    gone += count;
    if (count < batch) break;
    await new Promise(setImmediate);
  }
  return gone;
}

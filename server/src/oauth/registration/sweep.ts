import { nowSeconds } from '../../lib/clock.ts';
import { inBatches, sweepBatches } from '../../platform/db/pages.ts';
import type { OAuthContext } from '../context.ts';
import { deleteUnused } from '../store/unowned.ts';

/** Users have a day to answer; then the document is read again. */
const documentSeconds = 86_400;
/** As documented for registering clients: unused ones are deleted after this time. */
const registrationSeconds = 30 * 86_400;

/** Deletes unowned clients that nobody has allowed: anyone can create them, so they must not accumulate. */
export function openClientSweep({
  db,
  clock,
  lookups,
}: Pick<OAuthContext, 'db' | 'clock'> & { lookups: Pick<OAuthContext['lookups'], 'forget'> }): () => Promise<number> {
  /** The last id visited, for the next sweep to continue from; 0 is the start. */
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

import { AppError } from '../../lib/errors.ts';
import { retryUntilWritten, takeLease } from '../../platform/durable/lease.ts';
import type { Deps } from '../ports.ts';

/** How long a second turn of a session waits for the first. */
export const turnWaitMs = 30_000;
const pollMs = 100;

/** Serializes the turns of one session. Resolves to a function that releases the lock. */
export async function lockTurn(
  { db, owners, warn }: Pick<Deps, 'db' | 'owners' | 'warn'>,
  key: string,
  signal: AbortSignal,
  waitMs = turnWaitMs,
): Promise<() => Promise<void>> {
  // Waiting takes real time, even if the rest uses a test clock.
  const until = performance.now() + waitMs;
  for (;;) {
    signal.throwIfAborted();
    const release = await takeLease(db, owners, key);
    if (release)
      return () =>
        release().catch((error) => {
          warn('the end of a turn could not be stored', error);
          // If the database is unavailable, release in the background instead of delaying the answer.
          void retryUntilWritten(owners, release, () => {});
        });
    if (performance.now() >= until) {
      throw new AppError('rate_limit_exceeded', 'Another turn of this session is still running', {
        headers: { 'retry-after': '5' },
      });
    }
    await Bun.sleep(pollMs);
  }
}

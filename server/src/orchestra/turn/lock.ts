import { AppError } from '../../lib/errors.ts';
import type { Shared } from '../../platform/shared/port.ts';

/** How long a second turn of a session waits for the first (contract §12.1). */
export const turnWaitMs = 30_000;
/** A process that died holds its sessions no longer than this. */
const ttlMs = 30_000;
const renewMs = 10_000;
const pollMs = 50;

/** Turns of one session run one after another. Resolves to what ends the turn. */
export async function lockTurn(
  shared: Pick<Shared, 'lock'>,
  key: string,
  signal: AbortSignal,
  waitMs = turnWaitMs,
): Promise<() => Promise<void>> {
  // Waiting is real time, whatever clock the rest runs by.
  const until = performance.now() + waitMs;
  for (;;) {
    signal.throwIfAborted();
    const lock = await shared.lock(key, ttlMs);
    if (lock) {
      const renewal = setInterval(() => void lock.extend(ttlMs).catch(() => false), renewMs);
      renewal.unref();
      return async () => {
        clearInterval(renewal);
        await lock.release();
      };
    }
    if (performance.now() >= until) {
      throw new AppError('rate_limit_exceeded', 'Another turn of this session is still running', {
        headers: { 'retry-after': '5' },
      });
    }
    await Bun.sleep(pollMs);
  }
}

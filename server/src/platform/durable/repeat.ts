import { isTransient } from './errors.ts';

export interface Repeating {
  mostTries?: number;
  /** No attempt starts later than this after the first. */
  patienceMs?: number;
  pauseMs?: number;
  /** For writes that must not happen twice: which errors prove that nothing was written. */
  passes?: (error: unknown) => boolean;
}

/** Retries while the database is unavailable, for work that is safe to repeat; throws the last error. */
export async function repeat<T>(work: () => T | Promise<T>, options: Repeating = {}): Promise<T> {
  const { mostTries = Number.POSITIVE_INFINITY, patienceMs = Number.POSITIVE_INFINITY } = options;
  const { pauseMs = 200, passes = isTransient } = options;
  const begunMs = performance.now();
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const late = performance.now() + pauseMs - begunMs > patienceMs;
      if (!passes(error) || tries >= mostTries || late) throw error;
      await Bun.sleep(pauseMs);
    }
  }
}

import { mayPass } from './errors.ts';

export interface Repeating {
  mostTries?: number;
  /** No try begins later than this after the first. */
  patienceMs?: number;
  pauseMs?: number;
  /** For what must not be written twice: the faults after which it was surely not written. */
  passes?: (error: unknown) => boolean;
}

/** Tries again while the database is away, for what may be repeated as it is; throws what the last try met. */
export async function repeat<T>(work: () => T | Promise<T>, options: Repeating = {}): Promise<T> {
  const { mostTries = Number.POSITIVE_INFINITY, patienceMs = Number.POSITIVE_INFINITY } = options;
  const { pauseMs = 200, passes = mayPass } = options;
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

/**
 * Yields to other requests: with a database that answers synchronously, the steps of long work would otherwise block
 * the event loop.
 */
export const yieldToEventLoop = (): Promise<unknown> => new Promise(setImmediate);

/** Rows read at once: even with long texts and vectors of 3,000 numbers, this takes only a few milliseconds. */
export const sliceRows = 100;

/** Processes a long list in slices and yields to other requests in between. */
export async function processInSlices<I, O>(items: I[], work: (slice: I[]) => Promise<O[]>): Promise<O[]> {
  const results: O[] = [];
  for (let i = 0; i < items.length; i += sliceRows) {
    if (i > 0) await yieldToEventLoop();
    for (const result of await work(items.slice(i, i + sliceRows))) results.push(result);
  }
  return results;
}

/** Runs a limited number of a user's jobs at once; the others wait in FIFO order. */
export type UserQueue = <T>(userId: number, work: () => Promise<T>) => Promise<T>;

/** However many requests one user sends, others wait at most for one slice of each running job. */
export function newUserQueue(most: number): UserQueue {
  const lines = new Map<number, { running: number; waiting: (() => void)[] }>();
  return async (userId, work) => {
    const line = lines.get(userId) ?? { running: 0, waiting: [] };
    lines.set(userId, line);
    // A finished job passes its slot to the next waiter directly, so that a new arrival cannot take it.
    if (line.running < most) line.running += 1;
    else await new Promise<void>((resolve) => line.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = line.waiting.shift();
      if (next) next();
      else {
        line.running -= 1;
        if (line.running === 0) lines.delete(userId);
      }
    }
  };
}

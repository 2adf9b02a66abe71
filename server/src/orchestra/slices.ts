/** Gives every other request a turn: with a database that answers at once, the steps of a long work would be one. */
export const others = (): Promise<unknown> => new Promise(setImmediate);

/** Rows read in one go: with long texts and vectors of 3,000 numbers that is still over in a few milliseconds. */
export const sliceRows = 100;

/** The work on a long list, so many items at a time, with room for others in between. */
export async function inSlices<I, O>(items: I[], work: (slice: I[]) => Promise<O[]>): Promise<O[]> {
  const results: O[] = [];
  for (let i = 0; i < items.length; i += sliceRows) {
    if (i > 0) await others();
    for (const result of await work(items.slice(i, i + sliceRows))) results.push(result);
  }
  return results;
}

/** Runs a user's works, so many at a time; the rest wait their turn in the order they came. */
export type PerUser = <T>(userId: number, work: () => Promise<T>) => Promise<T>;

/** However many requests one user sends at once, others wait for no more than a slice of each of the few that run. */
export function perUser(most: number): PerUser {
  const lines = new Map<number, { running: number; waiting: (() => void)[] }>();
  return async (userId, work) => {
    const line = lines.get(userId) ?? { running: 0, waiting: [] };
    lines.set(userId, line);
    // Whoever ends hands its place on, so that nobody who comes in that moment takes it.
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

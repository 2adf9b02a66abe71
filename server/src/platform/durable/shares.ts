import type { Worked } from './jobs.ts';

/** Delay before a job is retried whose owner has reached the limit. */
const turnMs = 500;

/**
 * Limits how many jobs of a queue run at once per owner in this process, so that an owner with many slow jobs does not
 * block others. Further jobs are retried later.
 */
export function openShares(most: number): (owner: number, work: () => Promise<Worked>) => Promise<Worked> {
  const running = new Map<number, number>();
  const count = (owner: number, change: number): void => {
    const now = (running.get(owner) ?? 0) + change;
    if (now > 0) running.set(owner, now);
    else running.delete(owner);
  };
  return async (owner, work) => {
    if ((running.get(owner) ?? 0) >= most) return { notYetInMs: turnMs };
    count(owner, 1);
    try {
      return await work();
    } finally {
      count(owner, -1);
    }
  };
}

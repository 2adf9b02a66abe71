import type { Worked } from './jobs.ts';

/** Delay before a job is tried again whose owner has its share. */
const turnMs = 500;

/**
 * Lets no owner have more than so many of a queue's jobs in progress in this process, so that one whose jobs are many
 * and slow leaves places to others. What is beyond waits its turn.
 */
export function openShares(most: number): (owner: number, work: () => Promise<Worked>) => Promise<Worked> {
  const running = new Map<number, number>();
  const count = (owner: number, change: number): void => {
    const now = (running.get(owner) ?? 0) + change;
    if (now > 0) running.set(owner, now);
    else running.delete(owner);
  };
  return async (owner, work) => {
    if ((running.get(owner) ?? 0) >= most) return { againInMs: turnMs };
    count(owner, 1);
    try {
      return await work();
    } finally {
      count(owner, -1);
    }
  };
}

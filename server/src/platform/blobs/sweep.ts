import type { Clock } from '../../lib/clock.ts';
import type { Jobs } from '../durable/jobs.ts';
import type { Log } from '../log.ts';
import type { Blobs } from './port.ts';

/** A room that stores blobs, and knows which of them it still needs. */
export interface BlobKeeper {
  /** Its keys begin with this; keys of no keeper are left alone. */
  prefix: string;
  /** Those of the given keys that are still needed. Called for old ones only. */
  needed(keys: string[]): Promise<ReadonlySet<string>>;
}

export interface BlobSweepDeps {
  blobs: Blobs;
  keepers: readonly BlobKeeper[];
  jobs: Pick<Jobs, 'enqueue' | 'work'>;
  clock: Clock;
  log: Pick<Log, 'warn' | 'info'>;
  /** Option `OrphanedFileDays`; 0: never. */
  days: () => number;
}

const queue = 'blobs.sweep';
const everyMs = 24 * 3_600_000;
const dayMs = 24 * 3_600_000;
/** Keys asked for at once. */
const together = 200;

/**
 * Deletes what is stored without being needed: a process may die, or a database may lose its last commits, between a
 * row and its bytes. One process does it, once a day. Call before the jobs start; `sweep` only makes sure that
 * the job exists.
 */
export function openBlobSweep(deps: BlobSweepDeps): { sweep(): Promise<void> } {
  deps.jobs.work(queue, { concurrency: 1 }, async ({ signal }) => {
    await sweepBlobs(deps, signal);
    return { againInMs: everyMs };
  });
  return {
    sweep: async () => {
      await deps.jobs.enqueue(queue, {}, { key: queue });
    },
  };
}

export async function sweepBlobs(deps: Omit<BlobSweepDeps, 'jobs'>, signal?: AbortSignal): Promise<void> {
  const { blobs, keepers, clock, log, days } = deps;
  if (days() === 0) return;
  await blobs.removeUnfinished();
  for (const keeper of keepers) {
    let removed = 0;
    let old: string[] = [];
    const removeOld = async () => {
      signal?.throwIfAborted();
      const needed = await keeper.needed(old);
      for (const key of old.filter((each) => !needed.has(each))) {
        await blobs.delete(key);
        removed += 1;
      }
      old = [];
    };
    // Whatever is being written is younger, in whichever process.
    const before = clock.nowMs() - days() * dayMs;
    for await (const { key, writtenMs } of blobs.list(keeper.prefix)) {
      if (writtenMs < before) old.push(key);
      if (old.length === together) await removeOld();
    }
    if (old.length > 0) await removeOld();
    if (removed > 0) log.warn({ prefix: keeper.prefix, removed }, 'deleted stored bytes that nothing referred to');
  }
}

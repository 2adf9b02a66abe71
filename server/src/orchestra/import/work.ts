import { z } from 'zod';
import { nowSeconds } from '../../lib/clock.ts';
import type { Jobs } from '../../platform/durable/jobs.ts';
import { openShares } from '../../platform/durable/shares.ts';
import type { Deps } from '../ports.ts';
import { markEntries } from '../store/knowledge.ts';
import { type SourceState, sourceByRef, staleSources } from '../store/sources.ts';
import { importSource, removeSource } from './import-source.ts';

const queue = 'knowledge-import';
/** Each import takes a thread and the memory of one file. Those of one user leave a place for others. */
const work = { concurrency: 3 };
const mostOfUser = 2;
const workData = z.object({ ref: z.number().int() });

export function workOnImports(jobs: Pick<Jobs, 'work'>, deps: Deps): void {
  const share = openShares(mostOfUser);
  jobs.work(queue, work, async (job) => {
    const { ref } = workData.parse(job.data);
    const source = await sourceByRef(deps.db, ref);
    if (source) return share(source.userId, () => importSource(deps, ref, job.signal));
  });
}

export async function enqueueImport(jobs: Pick<Jobs, 'enqueue'>, ref: number): Promise<void> {
  await jobs.enqueue(queue, { ref }, { key: `${ref}` });
}

/** Longer than reading a file takes, so that only abandoned sources are found. */
const staleSeconds = 600;
const sweepRows = 100;

/** Restarts imports that a process abandoned, and deletes uploads that were only partly received. */
export async function sweepImports(deps: Deps): Promise<void> {
  const { db } = deps;
  const before = nowSeconds(deps.clock) - staleSeconds;
  const stale = (...states: SourceState[]) => staleSources(db, states, before, sweepRows);
  for (const { ref } of await stale('waiting', 'reading')) await deps.startImport(ref);
  for (const { ref } of await stale('receiving', 'deleting')) await removeSource(deps, ref);
  await markEntries(db, sweepRows);
}

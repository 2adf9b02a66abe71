import { z } from 'zod';
import type { Route } from '../platform/http/route.ts';
import { advanceJob } from './advance.ts';
import { openCallbacks } from './callbacks.ts';
import { enqueueJob } from './create.ts';
import { callbackQueue, jobQueue, type VideoDeps } from './deps.ts';
import { forgetUser } from './forget-user.ts';
import { videoRoutes } from './routes.ts';
import { deleteUnheld, findStale } from './store.ts';

export interface Video {
  routes: Route[];
  /** Deletes the user's jobs and their files. Idempotent. */
  forgetUser(userId: number): Promise<void>;
  /** Requeues jobs whose queue entry was lost, and deletes those that were never accepted. */
  sweep(): Promise<void>;
}

/** Most of a job's life is waiting, which takes no slot; these are calls and downloads in progress. */
const jobWork = { concurrency: 16 };
const callbackWork = { concurrency: 8 };
/** Longer than any delay between two steps, so that only lost jobs are found. */
const staleMs = 120_000;
const sweepBatch = 200;

const workData = z.object({ id: z.string() });

/** Registers the workers; call before the jobs are started. */
export function openVideo(deps: VideoDeps): Video {
  const steps = new Map<string, Promise<unknown>>();
  /** Serializes the steps of a job: one that the queue gave up may still be recording its upstream. */
  const advance = async (id: string, signal: AbortSignal) => {
    await steps.get(id)?.catch(() => {});
    const step = advanceJob(deps, id, signal);
    steps.set(id, step);
    return step.finally(() => {
      if (steps.get(id) === step) steps.delete(id);
    });
  };
  deps.jobs.work(jobQueue, jobWork, (job) => advance(workData.parse(job.data).id, job.signal));
  const callBack = openCallbacks(deps);
  deps.jobs.work(callbackQueue, callbackWork, (job) => callBack(workData.parse(job.data).id, job.signal));

  const recover = async (before: number): Promise<void> => {
    for (const { id, held } of await findStale(deps.db, before, sweepBatch)) {
      if (held === 1) await enqueueJob(deps, id);
      else await removeUnaccepted(deps, id);
    }
  };
  return {
    routes: videoRoutes(deps),
    forgetUser: (userId) => forgetUser(deps, userId),
    sweep: () => recover(deps.clock.nowMs() - staleMs),
  };
}

async function removeUnaccepted({ db, billing }: VideoDeps, id: string): Promise<void> {
  const hold = await billing.findHold(id);
  if (hold) await billing.release(hold);
  await deleteUnheld(db, id);
}

import { cancelJob } from './advance.ts';
import type { VideoDeps } from './deps.ts';
import { closeJob } from './finish.ts';
import { findJob } from './store.ts';
import { deleteJob, jobsOf } from './store-account-data.ts';

const batch = 100;

/** Cancels what is being made, so that its money comes back, then removes files and rows. May be repeated. */
export async function forgetUser(deps: VideoDeps, userId: number): Promise<void> {
  for (;;) {
    const found = await jobsOf(deps.db, userId, batch);
    if (found.length === 0) return;
    for (const { id, held } of found) {
      if (held === 1) await cancelJob(deps, id, userId);
      const job = await findJob(deps.db, id);
      if (job) await closeJob(deps, job);
      const hold = held === 1 ? null : await deps.billing.findHold(id);
      if (hold) await deps.billing.release(hold);
      for (const key of JSON.parse(job?.results ?? '[]') as string[]) await deps.blobs.delete(key);
      await deleteJob(deps.db, id);
    }
  }
}

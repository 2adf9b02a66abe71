import { cancelJob } from './advance.ts';
import type { VideoDeps } from './deps.ts';
import { closeJob } from './finish.ts';
import { removeJob } from './remove.ts';
import { findJob } from './store.ts';
import { jobsOf } from './store-account-data.ts';
import { forgetSecrets } from './store-secrets.ts';

const batch = 100;

/** Cancels jobs in progress, so that their holds are released, then deletes files and rows. Idempotent. */
export async function forgetUser(deps: VideoDeps, userId: number): Promise<void> {
  for (;;) {
    const found = await jobsOf(deps.db, userId, batch);
    if (found.length === 0) return forgetSecrets(deps.db, userId);
    for (const { id, held } of found) {
      if (held === 1) await cancelJob(deps, id, userId);
      const job = await findJob(deps.db, id);
      if (job) await closeJob(deps, job);
      const hold = held === 1 ? null : await deps.billing.findHold(id);
      if (hold) await deps.billing.release(hold);
      await removeJob(deps, { id, results: job?.results ?? '[]' });
    }
  }
}

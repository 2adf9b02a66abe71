import type { BlobKeeper } from '../platform/blobs/sweep.ts';
import type { Db } from '../platform/db/tables.ts';
import { hasEnded } from './status.ts';

const jobOf = (key: string): string => key.split('/')[1]!;

/** Results of jobs that were completed, and whatever a running one is collecting. */
export const videoKeeper = (db: Db): BlobKeeper => ({
  prefix: 'videos/',
  async needed(keys) {
    const ids = [...new Set(keys.map(jobOf))];
    const jobs = await db.selectFrom('video_jobs').select(['id', 'status', 'results']).where('id', 'in', ids).execute();
    const results = new Map(
      jobs.map((job) => [job.id, hasEnded(job.status) ? new Set(JSON.parse(job.results)) : null]),
    );
    return new Set(keys.filter((key) => results.get(jobOf(key)) === null || results.get(jobOf(key))?.has(key)));
  },
});

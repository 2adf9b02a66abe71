import type { VideoDeps } from './deps.ts';
import type { VideoJob } from './store.ts';
import { deleteJob } from './store-account-data.ts';

/** Removes a job that has ended and is settled, its files first: a crash in between leaves a row that can be removed again. */
export async function removeJob(
  { db, blobs }: VideoDeps,
  { id, results }: Pick<VideoJob, 'id' | 'results'>,
): Promise<void> {
  for (const key of JSON.parse(results) as string[]) await blobs.delete(key);
  await deleteJob(db, id);
}

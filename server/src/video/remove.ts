import type { VideoDeps } from './deps.ts';
import type { VideoJob } from './store.ts';
import { deleteJob } from './store-account-data.ts';

/** Deletes a finished, settled job, its files first: a crash in between leaves a row that can be deleted again. */
export async function removeJob(
  { db, blobs }: VideoDeps,
  { id, results }: Pick<VideoJob, 'id' | 'results'>,
): Promise<void> {
  for (const key of JSON.parse(results) as string[]) await blobs.delete(key);
  await deleteJob(db, id);
}

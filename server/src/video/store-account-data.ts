import { onePage, type PersonalData, rowsOf } from '../platform/db/pages.ts';
import type { Db } from '../platform/db/tables.ts';
import type { VideoJob } from './store.ts';
import './store-secrets.ts';

export const exportOf = (db: Db, userId: number): PersonalData => ({
  jobs: rowsOf(db, 'video_jobs', {
    of: { user_id: userId },
    columns: [
      ...(['id', 'generation_id', 'model_id', 'status', 'request', 'seconds', 'cost', 'provider', 'error'] as const),
      ...(['callback_url', 'created_at_ms', 'finished_at_ms'] as const),
    ],
  }),
  callback_secrets: onePage(() => db.selectFrom('video_secrets').selectAll().where('user_id', '=', userId).execute()),
});

export const jobsOf = (db: Db, userId: number, limit: number): Promise<VideoJob[]> =>
  db.selectFrom('video_jobs').selectAll().where('user_id', '=', userId).limit(limit).execute();

export async function deleteJob(db: Db, id: string): Promise<void> {
  await db.deleteFrom('video_jobs').where('id', '=', id).execute();
}

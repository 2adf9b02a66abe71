import { type PersonalData, pages, rowsOf } from '../../platform/db/pages.ts';
import type { Db } from '../../platform/db/tables.ts';
import { fileUsage, isFiled } from './filing.ts';
import { usageColumns } from './port.ts';
import './tables.ts';

export const exportOf = (db: Db, userId: number): PersonalData => ({
  credits: rowsOf(db, 'credits', { of: { user_id: userId } }),
  failed_requests: pages<{ id: number; created_at: number }>((after, limit) =>
    db
      .selectFrom('failed_requests')
      // What the upstream said is the operator's.
      .select(['id', 'request_id', 'key_id', 'model_id', 'endpoint', 'status', 'code', 'message'])
      .select(['duration_ms', 'parent_request_id', 'created_at'])
      .where('user_id', '=', userId)
      .where('created_at', '>=', after?.created_at ?? 0)
      .where((e) => e.or([e('created_at', '>', after?.created_at ?? 0), e('id', '>', after?.id ?? 0)]))
      .orderBy('created_at')
      .orderBy('id')
      .limit(limit)
      .execute(),
  ),
  // Seldom any: what work has not written down yet.
  kept_answers: rowsOf(db, 'kept_answers', {
    ...{ of: { user_id: userId }, by: ['work', 'call'] },
    columns: ['work', 'call', 'request_id', 'created_at', 'body'],
  }),
  // The log is kept for a while, the days for ever.
  usage_days: rowsOf(db, 'usage_days', {
    ...{ of: { user_id: userId }, by: ['day', 'model_id', 'key_id'] },
    columns: ['day', 'model_id', 'key_id', 'requests', 'prompt_tokens', 'completion_tokens', 'quota'],
  }),
  usage_logs: pages<{ id: number; created_at: number }>(async (after, limit) => {
    await fileUsage(db);
    return (
      db
        .selectFrom('usage_logs')
        .select(['id', ...usageColumns])
        .where('user_id', '=', userId)
        .where((e) => e.and(isFiled(db)))
        // The order of the index: by id alone, each page would sort all that is left.
        .where('created_at', '>=', after?.created_at ?? 0)
        .where((e) => e.or([e('created_at', '>', after?.created_at ?? 0), e('id', '>', after?.id ?? 0)]))
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit)
        .execute()
    );
  }),
});

/** The books stay, or they would not add up; a note may name somebody, so notes go. */
export async function forget(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('failed_requests').where('user_id', '=', userId).execute();
  await db.deleteFrom('kept_answers').where('user_id', '=', userId).execute();
  await db.updateTable('credits').set({ note: '' }).where('user_id', '=', userId).where('note', '<>', '').execute();
}

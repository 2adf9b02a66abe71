import { type PersonalData, pages, rowsOf } from '../../platform/db/pages.ts';
import type { Db } from '../../platform/db/tables.ts';
import { catchUp, fileUsage, isFiled } from './filing.ts';
import { usageColumns } from './port.ts';
import './tables.ts';

export const exportOf = (db: Db, userId: number): PersonalData => ({
  credits: rowsOf(db, 'credits', { of: { user_id: userId } }),
  failed_requests: pages<{ id: number; created_at: number }>((after, limit) =>
    db
      .selectFrom('failed_requests')
      // The upstream's error is left out: only operators may see it.
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
  // Usually none: answers that their work has not stored yet.
  kept_answers: rowsOf(db, 'kept_answers', {
    ...{ of: { user_id: userId }, by: ['work', 'call'] },
    columns: ['work', 'call', 'request_id', 'created_at', 'body'],
  }),
  // Log entries expire, daily sums are kept.
  usage_days: afterCatchingUp(
    db,
    rowsOf(db, 'usage_days', {
      ...{ of: { user_id: userId }, by: ['day', 'model_id', 'key_id'] },
      columns: ['day', 'model_id', 'key_id', 'requests', 'prompt_tokens', 'completion_tokens', 'quota'],
    }),
  ),
  usage_logs: pages<{ id: number; created_at: number }>(async (after, limit) => {
    await fileUsage(db);
    return (
      db
        .selectFrom('usage_logs')
        .select(['id', ...usageColumns])
        .where('user_id', '=', userId)
        .where((e) => e.and(isFiled(db)))
        // In index order: ordered by id alone, every page would sort all remaining rows.
        .where('created_at', '>=', after?.created_at ?? 0)
        .where((e) => e.or([e('created_at', '>', after?.created_at ?? 0), e('id', '>', after?.id ?? 0)]))
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit)
        .execute()
    );
  }),
});

async function* afterCatchingUp<R>(db: Db, rows: AsyncGenerator<R>): AsyncGenerator<R> {
  await catchUp(db);
  yield* rows;
}

/** Financial records stay, so that the books add up. Notes are cleared because they may name a person. */
export async function forget(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('failed_requests').where('user_id', '=', userId).execute();
  await db.deleteFrom('kept_answers').where('user_id', '=', userId).execute();
  await db.updateTable('credits').set({ note: '' }).where('user_id', '=', userId).where('note', '<>', '').execute();
}

import { type PersonalData, pages } from '../../platform/db/pages.ts';
import type { Db } from '../../platform/db/tables.ts';
import { fileUsage, isFiled } from './filing.ts';
import { usageColumns } from './port.ts';
import './tables.ts';

export const exportOf = (db: Db, userId: number): PersonalData => ({
  credits: pages<{ id: number }>((after, limit) =>
    db
      .selectFrom('credits')
      .selectAll()
      .where('user_id', '=', userId)
      .where('id', '>', after?.id ?? 0)
      .orderBy('id')
      .limit(limit)
      .execute(),
  ),
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
  kept_answers: pages<{ work: string; call: string }>((after, limit) =>
    db
      .selectFrom('kept_answers')
      .select(['work', 'call', 'request_id', 'created_at', 'body'])
      .where('user_id', '=', userId)
      .$if(after !== null, (found) =>
        found.where((e) =>
          e.or([e('work', '>', after!.work), e.and([e('work', '=', after!.work), e('call', '>', after!.call)])]),
        ),
      )
      .orderBy('work')
      .orderBy('call')
      .limit(limit)
      .execute(),
  ),
  // The log is kept for a while, the days for ever.
  usage_days: pages<{ day: number; model_id: string; key_id: number }>((after, limit) =>
    db
      .selectFrom('usage_days')
      .select(['day', 'model_id', 'key_id', 'requests', 'prompt_tokens', 'completion_tokens', 'quota'])
      .where('user_id', '=', userId)
      .$if(after !== null, (found) =>
        found.where((e) =>
          e(e.refTuple('day', 'model_id', 'key_id'), '>', e.tuple(after!.day, after!.model_id, after!.key_id)),
        ),
      )
      .orderBy('day')
      .orderBy('model_id')
      .orderBy('key_id')
      .limit(limit)
      .execute(),
  ),
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

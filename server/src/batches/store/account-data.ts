import { type PersonalData, pages, rowsOf } from '../../platform/db/pages.ts';
import type { Db } from '../../platform/db/tables.ts';
import './tables.ts';

export const exportOf = (db: Db, userId: number): PersonalData => ({
  files: rowsOf(db, 'files', {
    ...{ of: { user_id: userId }, by: ['ref'] },
    columns: ['ref', 'id', 'purpose', 'filename', 'bytes', 'created_at', 'expires_at'],
  }),
  batches: rowsOf(db, 'batches', { of: { user_id: userId }, by: ['ref'] }),
  /** Of unfinished batches; the others' requests are in files. */
  requests: pages<{ batch_ref: number; position: number }>((last, limit) =>
    db
      .selectFrom('batch_requests')
      .innerJoin('batches', 'batches.ref', 'batch_requests.batch_ref')
      .select(['batch_ref', 'position', 'custom_id', 'state', 'outcome'])
      .where('user_id', '=', userId)
      .$if(last !== null, (query) =>
        query.where((e) =>
          e.or([
            e('batch_ref', '>', last!.batch_ref),
            e.and([e('batch_ref', '=', last!.batch_ref), e('position', '>', last!.position)]),
          ]),
        ),
      )
      .orderBy('batch_ref')
      .orderBy('position')
      .limit(limit)
      .execute(),
  ),
});

import { type PersonalData, pages } from '../../platform/db/pages.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { BatchRow, FileRow } from './tables.ts';
import './tables.ts';

export const exportOf = (db: Db, userId: number): PersonalData => ({
  files: pages<Pick<FileRow, 'ref'>>((last, limit) =>
    db
      .selectFrom('files')
      .select(['ref', 'id', 'purpose', 'filename', 'bytes', 'created_at', 'expires_at'])
      .where('user_id', '=', userId)
      .where('ref', '>', last?.ref ?? 0)
      .orderBy('ref')
      .limit(limit)
      .execute(),
  ),
  batches: pages<BatchRow>((last, limit) =>
    db
      .selectFrom('batches')
      .selectAll()
      .where('user_id', '=', userId)
      .where('ref', '>', last?.ref ?? 0)
      .orderBy('ref')
      .limit(limit)
      .execute(),
  ),
  /** Of batches that are not at their end; those of the others are in files. */
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

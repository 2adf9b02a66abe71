import { type Expression, type SqlBool, sql } from 'kysely';
import type { Db } from '../../platform/db/tables.ts';
import { catchUp } from './filing.ts';
import { usageColumns } from './port.ts';
import { conditionsOf, type Searched, type SearchRange, searchNewest } from './search-newest.ts';
import type { UsageLog } from './usage.ts';
import type { LogFilter } from './usage-sums.ts';
import './tables.ts';

/** Must be written exactly as in the partial indexes. */
const incomplete = sql<SqlBool>`status <> 'ok'`;

/**
 * Log entries of requests that did not complete: aborted by the client, interrupted, or lost with their process. Newest
 * first.
 */
export async function searchIncomplete(db: Db, filter: LogFilter, range: SearchRange): Promise<Searched<UsageLog>> {
  await catchUp(db);
  const inOrder = (conditions: Expression<SqlBool>[]) =>
    db
      .selectFrom('usage_logs')
      .where((e) => e.and([incomplete, ...conditions]))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc');
  return searchNewest(conditionsOf(db, filter, ['parentRequestId', 'userId']), range, {
    placeAfter: (conditions, rows) =>
      inOrder(conditions).select(['created_at', 'id']).limit(1).offset(rows).executeTakeFirst(),
    read: (conditions, limit) =>
      inOrder(conditions)
        .select(['id', ...usageColumns])
        .limit(limit)
        .execute(),
  });
}

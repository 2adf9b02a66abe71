import { type Expression, type SqlBool, sql } from 'kysely';
import type { Db } from '../../platform/db/tables.ts';
import { fileUsage, isFiled } from './filing.ts';
import { usageColumns } from './port.ts';
import type { UsageLog } from './usage.ts';
import { within } from './usage-sums.ts';
import './tables.ts';

/*
 * The log has no index by request: every request would pay for it. One is found by the second in which it ended, which lists
 * tell, or which follows from its routing decision; those without a decision have an index of their own.
 */

const entries = (db: Db) => db.selectFrom('usage_logs').select(['id', ...usageColumns]);

/** Cached answers, calls of tools, and what died with its process. */
export const unroutedUsage = (db: Db, requestId: string): Promise<UsageLog[]> =>
  entries(db)
    .where('request_id', '=', requestId)
    // In the words of the index.
    .where(sql<SqlBool>`channel_id = 0`)
    .limit(mostEntries)
    .execute();

/** One request has one entry; a few more are none of ours to hide. */
const mostEntries = 20;
/** So many of somebody's entries are looked through. */
const mostSearched = 5_000;

export interface Whose {
  userId?: number | undefined;
  /** Whoever pays for them. */
  keyIds?: readonly number[] | undefined;
}

/** Among the entries of these seconds; `userId` and `keyIds` absent: among those of everybody. */
export async function usageBetween(
  db: Db,
  requestId: string,
  { userId, keyIds }: Whose,
  { from, to }: { from: number; to?: number | undefined },
): Promise<UsageLog[]> {
  await fileUsage(db);
  const conditions: Expression<SqlBool>[] = [
    ...(userId === undefined ? [] : [sql<SqlBool>`user_id = ${userId}`]),
    ...(keyIds === undefined ? [] : [sql<SqlBool>`key_id in (${sql.join(keyIds)})`]),
    ...within('created_at', from, to),
    ...isFiled(db),
  ];
  const some = entries(db)
    .where((e) => e.and(conditions))
    // Several keys are in no order together, and are asked for within a few seconds.
    .$if(keyIds === undefined, (inOrder) => inOrder.orderBy('created_at'))
    .limit(mostSearched);
  return db.selectFrom(some.as('part')).selectAll().where('request_id', '=', requestId).limit(mostEntries).execute();
}

/** More are not added up. */
const mostCallsCounted = 10_000;

/** What a turn, a run or a batch has asked for and got, and its newest entry; of one user, or whoever. */
export async function answeredCalls(db: Db, parentRequestId: string, userId: number | undefined) {
  const calls = db
    .selectFrom('usage_logs')
    .where('parent_request_id', '=', parentRequestId)
    // Not by the index of users, in which there are many more.
    .$if(userId !== undefined, (theirs) => theirs.where(sql<SqlBool>`+user_id = ${userId}`))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc');
  const newest = await calls.select(['user_id', 'created_at']).limit(1).executeTakeFirst();
  if (!newest) return null;
  const sums = await db
    .selectFrom(calls.select('quota').limit(mostCallsCounted).as('some'))
    .select((e) => [e.fn.countAll<number>().as('count'), e.fn.sum<number>('quota').as('quota')])
    .executeTakeFirstOrThrow();
  return { newest, count: Number(sums.count), quota: Number(sums.quota) };
}

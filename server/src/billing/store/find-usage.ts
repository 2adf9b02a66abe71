import { type Expression, type SqlBool, sql } from 'kysely';
import type { Db } from '../../platform/db/tables.ts';
import { catchUp, fileUsage, isFiled } from './filing.ts';
import { usageColumns } from './port.ts';
import type { UsageLog } from './usage.ts';
import { within } from './usage-sums.ts';
import './tables.ts';

/*
 * The log has no index by request id, because every request would pay for it. An entry is found by the second in which
 * the request ended, which lists show and which follows from the routing decision. Entries without a routing decision
 * have a small index of their own.
 */

const entries = (db: Db) => db.selectFrom('usage_logs').select(['id', ...usageColumns]);

/** Cached answers, tool calls and requests that died with their process. */
export async function unroutedUsage(db: Db, requestId: string): Promise<UsageLog[]> {
  await catchUp(db);
  return (
    entries(db)
      .where('request_id', '=', requestId)
      // Must be written exactly as in the partial index.
      .where(sql<SqlBool>`channel_id = 0`)
      .limit(mostEntries)
      .execute()
  );
}

/** A request has one entry; if there are a few more, show them too. */
const mostEntries = 20;
/** At most this many entries of a user are scanned. */
const mostSearched = 5_000;

export interface Whose {
  userId?: number | undefined;
  /** Regardless of who paid. */
  keyIds?: readonly number[] | undefined;
}

/** Searches the entries of these seconds; without `userId` and `keyIds`, those of all users. */
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
    // Entries of several keys cannot be read in index order, but these searches cover only a few seconds.
    .$if(keyIds === undefined, (inOrder) => inOrder.orderBy('created_at'))
    .limit(mostSearched);
  return db.selectFrom(some.as('part')).selectAll().where('request_id', '=', requestId).limit(mostEntries).execute();
}

/** Counting stops here. */
const mostCallsCounted = 10_000;

/** How many calls of a turn, a run or a batch were answered, and the newest entry; of one user, or of any. */
export async function answeredCalls(db: Db, parentRequestId: string, userId: number | undefined) {
  await catchUp(db);
  const calls = db
    .selectFrom('usage_logs')
    .where('parent_request_id', '=', parentRequestId)
    // The `+` keeps SQLite off the index by user, which has many more entries.
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

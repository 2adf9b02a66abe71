import { type Expression, type SqlBool, sql } from 'kysely';
import { inBatches, sweepBatches } from '../../platform/db/pages.ts';
import type { Db } from '../../platform/db/tables.ts';
import { fileUsage, isFiled } from './filing.ts';
import { dayOf, secondsPerDay, type UsageRow, usageColumns } from './port.ts';
import './tables.ts';

export interface UsageFilter {
  userId?: number | undefined;
  keyId?: number | undefined;
  modelId?: string | undefined;
  /** Unix seconds, both inclusive. */
  from?: number | undefined;
  to?: number | undefined;
}
export type UsageLog = UsageRow & { id: number };

/** What both the log and the sums can be narrowed by. */
const sameColumns = { userId: 'user_id', keyId: 'key_id', modelId: 'model_id' } as const;

function narrowed(filter: UsageFilter): Expression<SqlBool>[] {
  return (Object.keys(sameColumns) as (keyof typeof sameColumns)[])
    .filter((name) => filter[name] !== undefined)
    .map((name) => sql<SqlBool>`${sql.ref(sameColumns[name])} = ${filter[name]}`);
}

function within(column: string, from: number | undefined, to: number | undefined): Expression<SqlBool>[] {
  const bounds: Expression<SqlBool>[] = [];
  if (from !== undefined) bounds.push(sql<SqlBool>`${sql.ref(column)} >= ${from}`);
  if (to !== undefined) bounds.push(sql<SqlBool>`${sql.ref(column)} <= ${to}`);
  return bounds;
}

const ofSomebody = ({ userId, keyId }: UsageFilter): boolean => userId !== undefined || keyId !== undefined;

/** What entries of the log must be; those of one user or key are found by index. */
async function conditionsOf(db: Db, filter: UsageFilter): Promise<Expression<SqlBool>[]> {
  const conditions = [...narrowed(filter), ...within('created_at', filter.from, filter.to)];
  if (!ofSomebody(filter)) return conditions;
  await fileUsage(db);
  return [...conditions, ...isFiled(db)];
}

/**
 * Newest first; `before` continues after a row already seen, which an export does instead of counting offsets. Everybody's
 * rows have no index by time, but ids grow with it.
 */
export async function listUsage(
  db: Db,
  filter: UsageFilter,
  { limit, offset = 0, before }: { limit: number; offset?: number; before?: UsageLog | undefined },
): Promise<UsageLog[]> {
  const byTime = ofSomebody(filter);
  const conditions = await conditionsOf(db, filter);
  if (before && byTime)
    conditions.push(
      sql<SqlBool>`created_at <= ${before.created_at}`,
      sql<SqlBool>`(created_at < ${before.created_at} or id < ${before.id})`,
    );
  else if (before) conditions.push(sql<SqlBool>`id < ${before.id}`);
  const found = db.selectFrom('usage_logs').where((e) => e.and(conditions));
  return (byTime ? found.orderBy('created_at', 'desc') : found)
    .orderBy('id', 'desc')
    .select(['id', ...usageColumns])
    .limit(limit)
    .offset(offset)
    .execute();
}

/** Longer than any request may run. */
const longestRequestSeconds = 7 * secondsPerDay;

/** Whether the request of this entry is in the log already, with whatever end. */
export async function isLogged(db: Db, { request_id, user_id, created_at }: UsageRow): Promise<boolean> {
  const conditions = await conditionsOf(db, { userId: user_id, from: created_at - longestRequestSeconds });
  const found = db.selectFrom('usage_logs').where((e) => e.and([...conditions, e('request_id', '=', request_id)]));
  return (await found.select('id').executeTakeFirst()) !== undefined;
}

/** Deletes single entries from before `before`; their sums per day stay, and with them the books add up. */
export const sweepUsage = (db: Db, before: number): Promise<number> =>
  inBatches((most) => deleteOldUsage(db, before, most), sweepBatches);

/** Deletes at most `limit` of the oldest from before `before`. Ids grow with time, so nothing else has to be looked at. */
async function deleteOldUsage(db: Db, before: number, limit: number): Promise<number> {
  const result = await db
    .deleteFrom('usage_logs')
    .where('id', 'in', (e) =>
      e
        .selectFrom(e.selectFrom('usage_logs').select(['id', 'created_at']).orderBy('id').limit(limit).as('oldest'))
        .select('id')
        .where('created_at', '<', before),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** Counting past this would stop a synchronous database for too long; totals stay at it. */
const mostCounted = 100_000;

/** Whole days come from the sums, only the two days cut by `from` and `to` are counted. */
export async function countUsage(db: Db, filter: UsageFilter): Promise<number> {
  const { from, to } = filter;
  const firstWhole = from === undefined ? undefined : dayOf(from + secondsPerDay - 1);
  const lastWhole = to === undefined ? undefined : dayOf(to + 1) - 1;
  if (firstWhole !== undefined && lastWhole !== undefined && firstWhole > lastWhole) return countRows(db, filter);
  let total = await sumRequests(db, filter, Math.max(firstWhole ?? 0, await oldestDay(db)), lastWhole);
  if (from !== undefined && firstWhole! * secondsPerDay > from)
    total += await countRows(db, { ...filter, to: firstWhole! * secondsPerDay - 1 });
  if (to !== undefined && (lastWhole! + 1) * secondsPerDay <= to)
    total += await countRows(db, { ...filter, from: (lastWhole! + 1) * secondsPerDay });
  return total;
}

/** Sums outlive the entries they are of, which alone can be listed. */
async function oldestDay(db: Db): Promise<number> {
  const oldest = await db.selectFrom('usage_logs').select('created_at').orderBy('id').limit(1).executeTakeFirst();
  return oldest ? dayOf(oldest.created_at) : 0;
}

async function sumRequests(db: Db, filter: UsageFilter, firstDay?: number, lastDay?: number): Promise<number> {
  const row = await db
    .selectFrom('usage_days_all')
    .select((e) => e.fn.sum<number>('requests').as('n'))
    .where((e) => e.and([...narrowed(filter), ...within('day', firstDay, lastDay)]))
    .executeTakeFirst();
  return Number(row?.n ?? 0);
}

async function countRows(db: Db, filter: UsageFilter): Promise<number> {
  const conditions = await conditionsOf(db, filter);
  const bounded = db
    .selectFrom('usage_logs')
    .select('id')
    .where((e) => e.and(conditions))
    .limit(mostCounted);
  const row = await db
    .selectFrom(bounded.as('some'))
    .select((e) => e.fn.countAll<number>().as('n'))
    .executeTakeFirst();
  return Number(row?.n ?? 0);
}

export type GroupBy = 'day' | 'model' | 'token';
const groupColumns = { day: 'day', model: 'model_id', token: 'key_id' } as const;

export interface UsageSum {
  group: number | string;
  requests: number;
  prompt_tokens: number;
  completion_tokens: number;
  quota: number;
}

/** A page draws at most this many groups; more than that is a table for the export. */
const mostGroups = 1000;

export async function sumUsage(
  db: Db,
  filter: UsageFilter,
  groupBy: GroupBy,
  firstDay: number,
  lastDay: number,
): Promise<UsageSum[]> {
  const column = groupColumns[groupBy];
  const rows = await db
    .selectFrom('usage_days_all')
    .select((e) => [
      sql.ref<number | string>(column).as('group'),
      e.fn.sum<number>('requests').as('requests'),
      e.fn.sum<number>('prompt_tokens').as('prompt_tokens'),
      e.fn.sum<number>('completion_tokens').as('completion_tokens'),
      e.fn.sum<number>('quota').as('quota'),
    ])
    .where((e) => e.and([...narrowed(filter), ...within('day', firstDay, lastDay)]))
    .groupBy(column)
    .orderBy(groupBy === 'day' ? sql`1 asc` : sql`5 desc, 2 desc`)
    .limit(mostGroups)
    .execute();
  return rows.map((row) => ({
    group: row.group,
    requests: Number(row.requests),
    prompt_tokens: Number(row.prompt_tokens),
    completion_tokens: Number(row.completion_tokens),
    quota: Number(row.quota),
  }));
}

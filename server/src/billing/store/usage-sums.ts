import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Db, Tables } from '../../platform/db/tables.ts';
import { catchUp } from './filing.ts';
import { dayOf, secondsPerDay } from './port.ts';
import { firstWholeDay } from './usage-totals.ts';
import './tables.ts';

/** Filters that the log and its daily sums have in common. */
export interface UsageFilter {
  userId?: number | undefined;
  keyId?: number | undefined;
  modelId?: string | undefined;
  /** Unix seconds, both inclusive. */
  from?: number | undefined;
  to?: number | undefined;
}

/** Filters that only log entries have. */
export interface LogFilter extends UsageFilter {
  parentRequestId?: string | undefined;
}

const columns = { keyId: 'key_id', userId: 'user_id', modelId: 'model_id' } as const;
type FilterName = keyof typeof columns;

/** The filters that are set, the most selective first: a key belongs to one user. */
export const activeFilters = (filter: UsageFilter): FilterName[] =>
  (Object.keys(columns) as FilterName[]).filter((name) => filter[name] !== undefined);

export const is = (filter: UsageFilter, name: FilterName): Expression<SqlBool> =>
  sql<SqlBool>`${sql.ref(columns[name])} = ${filter[name]}`;

/**
 * The same condition, but kept off indexes with `+`: SQLite might pick a less selective one, PostgreSQL knows better.
 */
export const isWithoutIndex = (filter: UsageFilter, name: FilterName): Expression<SqlBool> =>
  sql<SqlBool>`+${sql.ref(columns[name])} = ${filter[name]}`;

export function within(column: string, from: number | undefined, to: number | undefined): Expression<SqlBool>[] {
  const bounds: Expression<SqlBool>[] = [];
  if (from !== undefined) bounds.push(sql<SqlBool>`${sql.ref(column)} >= ${from}`);
  if (to !== undefined) bounds.push(sql<SqlBool>`${sql.ref(column)} <= ${to}`);
  return bounds;
}

function sumsOf(
  db: Db,
  filter: UsageFilter,
  firstDay: number | undefined,
  lastDay: number | undefined,
  table: 'usage_days_all' | 'usage_totals_all' = 'usage_days_all',
) {
  const conditions = activeFilters(filter).map((name) => is(filter, name));
  return db.selectFrom(table).where((e) => e.and([...conditions, ...within('day', firstDay, lastDay)]));
}

/**
 * The time range of the newest `needed` entries of a filter, or null if there are none. If no index covers the whole
 * filter, only days with entries are scanned this way. Every sum stands for at least one entry, except on the day that
 * `to` cuts. `charged` only counts entries that cost something.
 */
export async function timeRangeOf(
  db: Db,
  { from, to, keyIds, ...filter }: UsageFilter & { keyIds?: KeyIds },
  needed: number,
  { charged = false } = {},
): Promise<{ from: number; to?: number } | null> {
  const cut = to === undefined ? undefined : dayOf(to);
  const days = await sumsOf(db, filter, from && dayOf(from), cut && cut - 1)
    .$if(charged, (query) => query.where('quota', '>', 0))
    .$if(keyIds !== undefined, (query) => query.where('key_id', 'in', keyIds!).groupBy('day'))
    .orderBy('day', 'desc')
    .select('day')
    .limit(needed)
    .execute();
  if (days.length === 0 && cut === undefined) return null;
  const first = days.at(-1)?.day ?? cut!;
  return { from: Math.max(from ?? 0, first * secondsPerDay), to: to ?? (days[0]!.day + 1) * secondsPerDay - 1 };
}

/**
 * Usually this many sums have `most` requests together; reading `most` sums is only needed if each has a single
 * request.
 */
const firstSums = 150;

/**
 * Adds up the newest sums: exact if the result is below `most`, otherwise a lower bound of at least `most`. Sums
 * outlive their entries: those before the day that `oldest` finds do not count.
 */
export async function sumRequests(
  db: Db,
  filter: UsageFilter,
  firstDay: number | undefined,
  lastDay: number | undefined,
  most: number,
  oldest: (db: Db) => Promise<number>,
): Promise<number> {
  // Without `day` in the result, or as a subquery, SQLite would sort all sums instead of using the index.
  const newest = sumsOf(db, filter, firstDay, lastDay).orderBy('day', 'desc').select(['day', 'requests']);
  const few = Math.min(firstSums, most);
  const first = await newest.limit(few).execute();
  if (first.length === 0) return 0;
  const oldestDay = await oldest(db);
  const added = (rows: typeof first) => rows.reduce((sum, row) => sum + (row.day < oldestDay ? 0 : row.requests), 0);
  if (first.length < few || few === most || first.at(-1)!.day < oldestDay || added(first) >= most) return added(first);
  return added(await newest.limit(most).execute());
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

/** A page draws at most this many groups; the export has all of them. */
const mostGroups = 1000;

type UsageTotal = Omit<UsageSum, 'group'>;

/** Of all groups. Those beyond the most are in the sums per day, of which there are never so many. */
export async function totalOf(sums: UsageSum[], perDay: () => Promise<UsageSum[]>): Promise<UsageTotal> {
  const total: UsageTotal = { requests: 0, prompt_tokens: 0, completion_tokens: 0, quota: 0 };
  for (const sum of sums.length < mostGroups ? sums : await perDay())
    for (const name of Object.keys(total) as (keyof UsageTotal)[]) total[name] += sum[name];
  return total;
}

/** Whether the totals of all users, which are few rows, can answer the query. */
const hasTotals = async (
  db: Db,
  { userId, keyId }: UsageFilter,
  groupBy: GroupBy,
  firstDay: number,
): Promise<boolean> =>
  userId === undefined && keyId === undefined && groupBy !== 'token' && firstDay >= (await firstWholeDay(db));

export async function sumUsage(
  db: Db,
  filter: UsageFilter,
  groupBy: GroupBy,
  firstDay: number,
  lastDay: number,
): Promise<UsageSum[]> {
  await catchUp(db);
  const table = (await hasTotals(db, filter, groupBy, firstDay)) ? 'usage_totals_all' : 'usage_days_all';
  return grouped(sumsOf(db, filter, firstDay, lastDay, table), groupBy);
}

/** A query for keys, which may be more than a statement can name. */
export type KeyIds = SelectQueryBuilder<Tables, keyof Tables, { key_id: number }>;

/** Usage of several keys together, regardless of who paid. */
export async function sumUsageOfKeys(
  db: Db,
  keyIds: KeyIds,
  groupBy: GroupBy,
  firstDay: number,
  lastDay: number,
): Promise<UsageSum[]> {
  await catchUp(db);
  return grouped(sumsOf(db, {}, firstDay, lastDay).where('key_id', 'in', keyIds), groupBy);
}

/** Days in order, everything else by cost, highest first. */
async function grouped(sums: ReturnType<typeof sumsOf>, groupBy: GroupBy): Promise<UsageSum[]> {
  const column = groupColumns[groupBy];
  const rows = await sums
    .select((e) => [
      sql.ref<number | string>(column).as('group'),
      e.fn.sum<number>('requests').as('requests'),
      e.fn.sum<number>('prompt_tokens').as('prompt_tokens'),
      e.fn.sum<number>('completion_tokens').as('completion_tokens'),
      e.fn.sum<number>('quota').as('quota'),
    ])
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

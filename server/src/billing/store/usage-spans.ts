import { type Expression, type SqlBool, sql } from 'kysely';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import { catchUp, unlessUnavailable } from './filing.ts';
import { fileSpans } from './roll-up-spans.ts';
import { noSums, type SpanMeasure, type SpanSums, spanColumns } from './span-sums.ts';
import './tables.ts';

/*
 * Usage and failures per span of time, by user, model and channel, and by model and channel for all users (user 0).
 * Both logs are added in the background a few times a minute. On SQLite a query first files what is missing; on
 * PostgreSQL it reads the unfiled rows as well.
 */

export interface SpanFilter {
  /** Unix seconds, `from` inclusive, `upTo` exclusive. */
  from: number;
  upTo: number;
  userId?: number | undefined;
  modelId?: string | undefined;
  channelId?: number | undefined;
}

export interface SpanGroup {
  /** Start of its interval. */
  at: number;
  group: string | number;
  sums: SpanSums;
}

const groups = { model: 'model_id', channel: 'channel_id', user: 'user_id' } as const;
export type SpanGrouping = keyof typeof groups;

type Row = Record<keyof SpanSums, number | string> & { at: number; group: string | number };

const summed = (names: readonly string[]) => sql.raw(names.map((name) => `sum(${name}) as ${name}`).join(', '));
const allSummed = summed(spanColumns);

function conditions({ from, upTo, userId, modelId, channelId }: SpanFilter): Expression<SqlBool>[] {
  const given: Expression<SqlBool>[] = [
    sql<SqlBool>`user_id = ${userId ?? 0}`,
    sql<SqlBool>`starts_at >= ${from}`,
    sql<SqlBool>`starts_at < ${upTo}`,
  ];
  if (modelId !== undefined) given.push(sql<SqlBool>`model_id = ${modelId}`);
  if (channelId !== undefined) given.push(sql<SqlBool>`channel_id = ${channelId}`);
  return given;
}

const catchUpSpans = (db: Db): Promise<void> =>
  engineOf(db) === 'postgres' ? catchUp(db) : unlessUnavailable(fileSpans(db));

/** Sums per interval of that many seconds, of one user or of all; in order of time. */
export async function sumSpans(
  db: Db,
  filter: SpanFilter,
  groupBy: SpanGrouping,
  seconds: number,
): Promise<SpanGroup[]> {
  await catchUpSpans(db);
  const every = sql.lit(seconds);
  const { rows } = await sql<Row>`select starts_at / ${every} * ${every} as at, ${sql.ref(groups[groupBy])} as "group",
      ${allSummed} from usage_spans_all where ${sql.join(conditions(filter), sql` and `)} group by 1, 2 order by 1`.execute(
    db,
  );
  return rows.map(groupOf);
}

/** PostgreSQL sums to `numeric`, which arrives as text. */
function groupOf({ at, group, ...row }: Row): SpanGroup {
  const sums = noSums();
  for (const name of spanColumns) sums[name] = Number(row[name]);
  return { at: Number(at), group, sums };
}

/** How many users of a span are summed up at a time, because SQLite blocks all other queries meanwhile. */
const usersAtOnce = 1_000;

/** The users with the highest sums, highest first; users without any are left out. */
export async function topUsers(db: Db, filter: SpanFilter, measure: SpanMeasure, most: number): Promise<number[]> {
  await catchUpSpans(db);
  const sums =
    engineOf(db) === 'postgres' ? await sumAll(db, filter, measure, most) : await sumInSteps(db, filter, measure);
  return [...sums]
    .filter(([, sum]) => sum > 0)
    .toSorted(([a, x], [b, y]) => y - x || a - b)
    .slice(0, most)
    .map(([user]) => user);
}

/** Lets the index by time be used, which starts with the length. */
const lengths = [300, 3_600, 86_400];

type UserSum = { user_id: number; sum: number | string };

const narrowed = ({ modelId, channelId }: SpanFilter) =>
  sql`${
    modelId === undefined ? sql`` : sql` and model_id = ${modelId}`
  }${channelId === undefined ? sql`` : sql` and channel_id = ${channelId}`}`;

async function sumAll(db: Db, filter: SpanFilter, measure: SpanMeasure, most: number): Promise<Map<number, number>> {
  const { rows } = await sql<UserSum>`select user_id, sum(${sql.ref(measure)}) as sum from usage_spans_all
    where length in (${sql.join(lengths)}) and user_id > 0 and starts_at >= ${filter.from} and starts_at < ${filter.upTo}${narrowed(filter)}
    group by user_id order by 2 desc, 1 limit ${sql.lit(most)}`.execute(db);
  return new Map(rows.map(({ user_id, sum }) => [Number(user_id), Number(sum)]));
}

/** Span by span, and within each some users at a time. */
async function sumInSteps(db: Db, filter: SpanFilter, measure: SpanMeasure): Promise<Map<number, number>> {
  const sums = new Map<number, number>();
  const { rows: spans } = await sql<{
    at: number;
    length: number;
  }>`select distinct starts_at as at, length from usage_spans
    where user_id = 0 and starts_at >= ${filter.from} and starts_at < ${filter.upTo}`.execute(db);
  for (const { at, length } of spans) {
    let last: number | undefined = 0;
    while (last !== undefined) {
      const { rows }: { rows: UserSum[] } = await sql<UserSum>`select user_id, sum(${sql.ref(measure)}) as sum
        from usage_spans where length = ${length} and starts_at = ${at} and user_id > ${last}${narrowed(filter)}
        group by user_id order by user_id limit ${sql.lit(usersAtOnce)}`.execute(db);
      for (const { user_id, sum } of rows) sums.set(user_id, (sums.get(user_id) ?? 0) + Number(sum));
      last = rows.length < usersAtOnce ? undefined : rows.at(-1)!.user_id;
      await new Promise(setImmediate);
    }
  }
  return sums;
}

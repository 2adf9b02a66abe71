import { type Expression, type SqlBool, sql } from 'kysely';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import { activeFilters, is, isWithoutIndex, type LogFilter, within } from './usage-sums.ts';

/*
 * Pages of lists with an index for one filter and further filters without: a bounded number of rows is scanned per
 * page.
 */

/** A position in a list, newest first. */
export interface Place {
  created_at: number;
  id: number;
}

export interface SearchRange {
  limit: number;
  /** Continues after this position. */
  before?: Place | undefined;
}

export interface Searched<R> {
  rows: R[];
  /** The position up to which rows were scanned; there may be more after it. Null at the end of the list. */
  end: Place | null;
}

/** Few enough not to block other queries, enough to find what people usually look for. */
const mostSearched = 2_000;

type Indexed = 'parentRequestId' | 'keyId' | 'userId' | 'modelId';

interface Conditions {
  /** Uses an index, which is in order of time. */
  found: Expression<SqlBool>[];
  /** Checked on each row. */
  compared: Expression<SqlBool>[];
}

/** `indexed` names the filters with an index, the most selective first. */
export function conditionsOf(db: Db, filter: LogFilter, indexed: readonly Indexed[]): Conditions {
  const by = indexed.find((name) => filter[name] !== undefined);
  const { parentRequestId } = filter;
  const others = activeFilters(filter).filter((name) => name !== by);
  const compare = engineOf(db) === 'sqlite' ? isWithoutIndex : is;
  return {
    found: [
      ...(by === 'parentRequestId' ? [sql<SqlBool>`parent_request_id = ${parentRequestId}`] : []),
      ...(by !== undefined && by !== 'parentRequestId' ? [is(filter, by)] : []),
      ...within('created_at', filter.from, filter.to),
    ],
    compared: others.map((name) => compare(filter, name)),
  };
}

const behind = ({ created_at, id }: Place): Expression<SqlBool>[] => [
  sql<SqlBool>`created_at <= ${created_at}`,
  sql<SqlBool>`(created_at < ${created_at} or id < ${id})`,
];
const downTo = ({ created_at, id }: Place): Expression<SqlBool>[] => [
  sql<SqlBool>`created_at >= ${created_at}`,
  sql<SqlBool>`(created_at > ${created_at} or id >= ${id})`,
];

interface Reader<R> {
  /** The position of the row after that many others, newest first. */
  placeAfter(conditions: Expression<SqlBool>[], rows: number): Promise<Place | undefined>;
  read(conditions: Expression<SqlBool>[], limit: number): Promise<R[]>;
}

export async function searchNewest<R extends Place>(
  { found, compared }: Conditions,
  { limit, before }: SearchRange,
  { placeAfter, read }: Reader<R>,
): Promise<Searched<R>> {
  const from = [...found, ...(before ? behind(before) : [])];
  const bound = compared.length === 0 ? undefined : await placeAfter(from, mostSearched - 1);
  const rows = await read([...from, ...compared, ...(bound ? downTo(bound) : [])], limit);
  const last = rows.length === limit ? rows.at(-1)! : bound;
  return { rows, end: last ? { created_at: last.created_at, id: last.id } : null };
}

import { type SelectQueryBuilder, sql } from 'kysely';
import type { Db } from './tables.ts';

/** The rows of one page. */
export interface Range {
  limit: number;
  offset: number;
}

/** The number of rows a query finds, whatever it selects. */
export async function countRows<DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): Promise<number> {
  const counted = query.clearSelect().select((e) => e.fn.countAll<number>().as('n'));
  return Number((await counted.$castTo<{ n: number }>().executeTakeFirstOrThrow()).n);
}

/** Counts at most `most` rows in list order, so that the list's own index is used. */
export const countUpTo = <DB, TB extends keyof DB, O>(
  db: Db,
  rows: SelectQueryBuilder<DB, TB, O>,
  most: number,
): Promise<number> =>
  countRows(db.selectFrom(rows.clearSelect().select(sql<number>`1`.as('one')).limit(most).as('some')));

/**
 * How far beyond its page a list is counted. The total grows as one pages on; counting millions of rows would block
 * everything.
 */
export const countedPast = 1_000;

/** A page of a potentially long list, and its bounded total. */
export async function pageOfMany<DB, TB extends keyof DB, O>(
  db: Db,
  list: SelectQueryBuilder<DB, TB, O>,
  { limit, offset }: Range,
) {
  const rows = await list.limit(limit).offset(offset).execute();
  return { rows, total: await countUpTo(db, list, offset + limit + countedPast) };
}

/** A page of a short list, and its total. */
export async function pageOfFew<DB, TB extends keyof DB, O>(
  list: SelectQueryBuilder<DB, TB, O>,
  { limit, offset }: Range,
) {
  const rows = limit === 0 ? [] : await list.limit(limit).offset(offset).execute();
  // A page that is not full is the last: finding out again how many there are would cost as much.
  const isLast = rows.length < limit && (rows.length > 0 || offset === 0);
  return { rows, total: isLast ? offset + rows.length : await countRows(list.clearOrderBy()) };
}

import { type SelectQueryBuilder, sql } from 'kysely';
import type { Db } from './tables.ts';

/** The rows of one page. */
export interface Range {
  limit: number;
  offset: number;
}

/** How many rows a query finds, whatever it selects of them. */
export async function countRows<DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): Promise<number> {
  const counted = query.clearSelect().select((e) => e.fn.countAll<number>().as('n'));
  return Number((await counted.$castTo<{ n: number }>().executeTakeFirstOrThrow()).n);
}

/** Counts at most `most` rows, in the order of the list: then they come from the index that the list comes from. */
export const countUpTo = <DB, TB extends keyof DB, O>(
  db: Db,
  rows: SelectQueryBuilder<DB, TB, O>,
  most: number,
): Promise<number> =>
  countRows(db.selectFrom(rows.clearSelect().select(sql<number>`1`.as('one')).limit(most).as('some')));

/** How far past its page a list is counted. Whoever leafs on sees the total grow; counting millions would stop everything. */
export const countedPast = 1_000;

/** A page of a list that can be long, and how many rows it has as far as they are counted. */
export async function pageOfMany<DB, TB extends keyof DB, O>(
  db: Db,
  list: SelectQueryBuilder<DB, TB, O>,
  { limit, offset }: Range,
) {
  const rows = await list.limit(limit).offset(offset).execute();
  return { rows, total: await countUpTo(db, list, offset + limit + countedPast) };
}

/** A page of a list that is short by nature, and how many rows it has. */
export async function pageOfFew<DB, TB extends keyof DB, O>(
  list: SelectQueryBuilder<DB, TB, O>,
  { limit, offset }: Range,
) {
  const total = await countRows(list.clearOrderBy());
  return { rows: limit === 0 ? [] : await list.limit(limit).offset(offset).execute(), total };
}

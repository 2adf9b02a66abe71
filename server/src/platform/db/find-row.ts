import { type Selectable, sql } from 'kysely';
import type { Db, Tables } from './tables.ts';

export type Having<T extends keyof Tables> = Partial<Record<keyof Tables[T] & string, string | number>>;

/** Column values as a condition. */
export const has = (having: object) =>
  sql.join(
    Object.entries(having).map(([column, value]) => sql`${sql.ref(column)} = ${value}`),
    sql` and `,
  );

/** The row that matches all these values; null if there is none. */
export async function findRow<T extends keyof Tables>(
  db: Db,
  table: T,
  having: Having<T>,
): Promise<Selectable<Tables[T]> | null> {
  const query = sql<Selectable<Tables[T]>>`select * from ${sql.table(table)} where ${has(having)} limit 1`;
  return (await query.execute(db)).rows[0] ?? null;
}

/** The same, in the room's own shape. */
export async function findShaped<T extends keyof Tables, S>(
  db: Db,
  table: T,
  having: Having<T>,
  fromRow: (row: Selectable<Tables[T]>) => S,
): Promise<S | null> {
  const row = await findRow(db, table, having);
  return row && fromRow(row);
}

export const hasRow = async <T extends keyof Tables>(db: Db, table: T, having: Having<T>): Promise<boolean> =>
  (await findRow(db, table, having)) !== null;

import { type Selectable, sql } from 'kysely';
import type { Db, Tables } from './tables.ts';

/** The row that matches all these values; null if there is none. */
export async function findRow<T extends keyof Tables>(
  db: Db,
  table: T,
  having: Partial<Record<keyof Tables[T] & string, string | number>>,
): Promise<Selectable<Tables[T]> | null> {
  const values = Object.entries(having).map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
  const query = sql<Selectable<Tables[T]>>`select * from ${sql.table(table)} where ${sql.join(values, sql` and `)}`;
  return (await query.execute(db)).rows[0] ?? null;
}

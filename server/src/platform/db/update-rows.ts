import { type Selectable, sql } from 'kysely';
import { type Having, has } from './find-row.ts';
import type { Db, Tables } from './tables.ts';

/** Changes the rows that match all these values; true if there were any. Of concurrent calls, only one gets true. */
export async function updateRows<T extends keyof Tables>(
  db: Db,
  table: T,
  having: Having<T>,
  values: Partial<Selectable<Tables[T]>>,
): Promise<boolean> {
  const changes = sql.join(Object.entries(values).map(([column, value]) => sql`${sql.ref(column)} = ${value}`));
  const changed = await sql`update ${sql.table(table)} set ${changes} where ${has(having)}`.execute(db);
  return (changed.numAffectedRows ?? 0n) > 0n;
}

import { sql } from 'kysely';
import { type Having, has } from './find-row.ts';
import type { Db, Tables } from './tables.ts';

/** Deletes the rows that have all these values; whether there were any. Of several who do so at once, one is told that there were. */
export async function deleteRows<T extends keyof Tables>(db: Db, table: T, having: Having<T>): Promise<boolean> {
  const gone = await sql`delete from ${sql.table(table)} where ${has(having)}`.execute(db);
  return (gone.numAffectedRows ?? 0n) > 0n;
}

/** At most so many, since no statement must hold the writer for long; how many went. */
const deletingSome =
  (compared: '=' | '<=') =>
  <T extends keyof Tables>(table: T, key: keyof Tables[T] & string, column: keyof Tables[T] & string) =>
  async (db: Db, value: number, most: number): Promise<number> => {
    const [from, id] = [sql.table(table), sql.ref(key)];
    const some = sql`select ${id} from ${from} where ${sql.ref(column)} ${sql.raw(compared)} ${value} limit ${most}`;
    const gone = await sql`delete from ${from} where ${id} in (${some})`.execute(db);
    return Number(gone.numAffectedRows ?? 0);
  };

/** Rows of one owner, by the column that says whose they are. */
export const deletingOf = deletingSome('=');
/** Rows whose time is over, by the column that says when. */
export const deletingPast = deletingSome('<=');

import { sql } from 'kysely';
import { type Having, has } from './find-row.ts';
import type { Db, Tables } from './tables.ts';

/** Deletes the rows that match all these values; true if there were any. Of concurrent calls, only one gets true. */
export async function deleteRows<T extends keyof Tables>(db: Db, table: T, having: Having<T>): Promise<boolean> {
  const gone = await sql`delete from ${sql.table(table)} where ${has(having)}`.execute(db);
  return (gone.numAffectedRows ?? 0n) > 0n;
}

/** Deletes a bounded number, so that no statement blocks the writer for long; returns how many. */
const deletingSome =
  (compared: '=' | '<=') =>
  <T extends keyof Tables>(table: T, key: keyof Tables[T] & string, column: keyof Tables[T] & string) =>
  async (db: Db, value: number, most: number): Promise<number> => {
    const [from, id] = [sql.table(table), sql.ref(key)];
    const some = sql`select ${id} from ${from} where ${sql.ref(column)} ${sql.raw(compared)} ${value} limit ${most}`;
    const gone = await sql`delete from ${from} where ${id} in (${some})`.execute(db);
    return Number(gone.numAffectedRows ?? 0);
  };

/** Deletes rows of one owner, by the owner's column. */
export const deletingOf = deletingSome('=');
/** Deletes expired rows, by the column with their time. */
export const deletingPast = deletingSome('<=');

import { sql } from 'kysely';
import { resealWithin, sealBeginning } from '../../lib/seal.ts';
import { pages } from './pages.ts';
import type { Db, Tables } from './tables.ts';

type Row = Record<string, string>;
type Reseal = (sealed: string) => string;
/** Re-encrypts the values of one place with the first sealing key; returns how many were changed. */
export type ResealPlace = (db: Db, reseal: Reseal) => Promise<number>;
type Resealing = <T extends keyof Tables>(
  table: T,
  keys: (keyof Tables[T] & string)[],
  column: keyof Tables[T] & string,
) => ResealPlace;

/** Combines several places. */
export const resealingAll =
  (...places: ResealPlace[]): ResealPlace =>
  async (db, reseal) => {
    let changed = 0;
    for (const place of places) changed += await place(db, reseal);
    return changed;
  };

/** All columns that may hold encrypted text: each store that is loaded names its own. */
const columns: { table: string; column: string }[] = [];

/** For a column of encrypted text, by the table's key columns. */
export const resealing: Resealing = (table, keys, column) => {
  columns.push({ table, column });
  return (db, reseal) => rewrite(db, { table, keys, column, like: '_%' }, reseal);
};

/** The same for a text column that may contain encrypted parts. */
export const resealingWithin: Resealing = (table, keys, column) => {
  columns.push({ table, column });
  const like = `%${sealBeginning}%`;
  return (db, reseal) => rewrite(db, { table, keys, column, like }, (text) => resealWithin(text, reseal));
};

/** Whether anything stored needs the key of this id. Reads whole tables. */
export async function isAnySealedWith(db: Db, keyId: string): Promise<boolean> {
  for (const { table, column } of columns) {
    const like = `%${sealBeginning}${keyId}.%`;
    const found = sql`select 1 from ${sql.table(table)} where ${sql.ref(column)} like ${like} limit 1`;
    if ((await found.execute(db)).rows.length > 0) return true;
  }
  return false;
}

interface Place {
  table: string;
  keys: string[];
  column: string;
  /** Which rows have to be checked. */
  like: string;
}

async function rewrite(db: Db, { table, keys, column, like }: Place, anewOf: Reseal): Promise<number> {
  const [from, text] = [sql.table(table), sql.ref(column)];
  const key = sql.join(keys.map((name) => sql.ref(name)));
  const keyOf = (row: Row) => sql.join(keys.map((name) => row[name]));
  const read = async (after: Row | null, limit: number): Promise<Row[]> => {
    const further = after ? sql`and (${key}) > (${keyOf(after)})` : sql``;
    const query = sql<Row>`select ${key}, ${text} from ${from} where ${text} like ${like} ${further}
      order by ${key} limit ${limit}`;
    return (await query.execute(db)).rows;
  };
  let changed = 0;
  for await (const rows of pages(read))
    for (const row of rows) {
      const before = row[column]!;
      const anew = anewOf(before);
      if (anew === before) continue;
      // Skip rows that were changed in the meantime.
      await sql`update ${from} set ${text} = ${anew}
        where (${key}) = (${keyOf(row)}) and ${text} = ${before}`.execute(db);
      changed += 1;
    }
  return changed;
}

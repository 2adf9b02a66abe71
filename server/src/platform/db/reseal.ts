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

/** For a column of encrypted text, by the table's key columns. */
export const resealing: Resealing = (table, keys, column) => (db, reseal) =>
  rewrite(db, { table, keys, column, like: '_%' }, reseal);

/** The same for a text column that may contain encrypted parts. */
export const resealingWithin: Resealing = (table, keys, column) => (db, reseal) =>
  rewrite(db, { table, keys, column, like: `%${sealBeginning}%` }, (text) => resealWithin(text, reseal));

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

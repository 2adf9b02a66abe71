import { sql } from 'kysely';
import { resealWithin, sealBeginning } from '../../lib/seal.ts';
import { pages } from './pages.ts';
import type { Db, Tables } from './tables.ts';

type Row = Record<string, string>;
type Reseal = (sealed: string) => string;
/** Puts what is sealed in a place under the first sealing key; how many texts were changed. */
type ResealPlace = (db: Db, reseal: Reseal) => Promise<number>;
type Resealing = <T extends keyof Tables>(
  table: T,
  keys: (keyof Tables[T] & string)[],
  column: keyof Tables[T] & string,
) => ResealPlace;

/** For several places. */
export const resealingAll =
  (...places: ResealPlace[]): ResealPlace =>
  async (db, reseal) => {
    let changed = 0;
    for (const place of places) changed += await place(db, reseal);
    return changed;
  };

/** For a column of sealed text, by the key of its table. */
export const resealing: Resealing = (table, keys, column) => (db, reseal) =>
  rewrite(db, { table, keys, column, like: '_%' }, reseal);

/** The same for a column of other text in which something sealed may stand. */
export const resealingWithin: Resealing = (table, keys, column) => (db, reseal) =>
  rewrite(db, { table, keys, column, like: `%${sealBeginning}%` }, (text) => resealWithin(text, reseal));

interface Place {
  table: string;
  keys: string[];
  column: string;
  /** What has to be looked at. */
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
      // Not what was written meanwhile.
      await sql`update ${from} set ${text} = ${anew}
        where (${key}) = (${keyOf(row)}) and ${text} = ${before}`.execute(db);
      changed += 1;
    }
  return changed;
}

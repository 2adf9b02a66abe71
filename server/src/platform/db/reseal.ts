import { sql } from 'kysely';
import { pages } from './pages.ts';
import type { Db, Tables } from './tables.ts';

type Row = Record<string, string>;

/** For a column of sealed text, by the key of its table: puts all of it under the first sealing key; how many were changed. */
export const resealing =
  <T extends keyof Tables>(table: T, keys: (keyof Tables[T] & string)[], column: keyof Tables[T] & string) =>
  async (db: Db, reseal: (sealed: string) => string): Promise<number> => {
    const [from, sealed] = [sql.table(table), sql.ref(column)];
    const key = sql.join(keys.map((name) => sql.ref(name)));
    const keyOf = (row: Row) => sql.join(keys.map((name) => row[name]));
    const read = async (after: Row | null, limit: number): Promise<Row[]> => {
      const further = after ? sql`and (${key}) > (${keyOf(after)})` : sql``;
      const query = sql<Row>`select ${key}, ${sealed} from ${from} where ${sealed} <> '' ${further}
        order by ${key} limit ${limit}`;
      return (await query.execute(db)).rows;
    };
    let changed = 0;
    for await (const rows of pages(read))
      for (const row of rows) {
        const before = row[column]!;
        const anew = reseal(before);
        if (anew === before) continue;
        // Not what was written meanwhile.
        await sql`update ${from} set ${sealed} = ${anew}
          where (${key}) = (${keyOf(row)}) and ${sealed} = ${before}`.execute(db);
        changed += 1;
      }
    return changed;
  };

import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Db, engineOf } from './tables.ts';

/*
 * Finds rows by any part of a name. The trigram index (migrations 0012 and 0013) finds rows with all trigrams of the
 * search text, and a comparison keeps those that contain the text itself.
 */

/** A table whose rows, as `t`, can be searched by name. */
export interface NamedTable {
  table: string;
  /** The virtual table of SQLite. */
  index: string;
  /** In the order of PostgreSQL's index. */
  columns: readonly string[];
  newestFirst?: boolean;
}

export interface Search {
  text: string;
  most: number;
  /** Search only these columns. */
  columns?: readonly string[];
  /** A further condition on the rows. */
  and?: RawBuilder<SqlBool>;
}

/** More trigrams would not narrow the search any further. */
const mostGrams = 24;

/** In hexadecimal, so that neither index treats them as words of a language. */
function gramsOf(text: string): string[] {
  const characters = Array.from(text);
  const grams = characters
    .slice(0, Math.max(1, characters.length - 2))
    .map((_, i) => characters.slice(i, i + 3).join(''));
  return [...new Set(grams)].slice(0, mostGrams).map((gram) => Buffer.from(gram).toString('hex'));
}

/** SQLite has no escape character unless one is given. */
export function has(text: string, columns: readonly string[]): RawBuilder<SqlBool> {
  const pattern = `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
  const each = columns.map((column) => sql`lower(${sql.ref(`t.${column}`)}) like ${pattern} escape '\\'`);
  return sql<SqlBool>`(${sql.join(each, sql` or `)})`;
}

/** The source of rows, as `t`, that may match, and their order there. */
function candidates(
  db: Db,
  named: NamedTable,
  text: string,
): { from: RawBuilder<unknown>; order: RawBuilder<unknown> } {
  const grams = gramsOf(text);
  // For one or two characters the index finds trigrams that start with them.
  const whole = Array.from(text).length > 2;
  const table = sql.table(named.table);
  if (engineOf(db) === 'postgres') {
    const query = grams.map((gram) => (whole ? gram : `${gram}:*`)).join(' & ');
    const each = named.columns.map((column) => sql`lower(${sql.ref(`t.${column}`)})`);
    const names = sql.join(each, sql` || ' ' || `);
    return { from: sql`${table} as t where svc_grams(${names}) @@ ${query}::text::tsquery`, order: sql`t.id` };
  }
  const query = grams.map((gram) => (whole ? gram.toUpperCase() : `${gram.toUpperCase()}*`)).join(' ');
  const index = sql.table(named.index);
  return {
    from: sql`${index} as f cross join ${table} as t on t.id = f.rowid where ${index} match ${query}`,
    order: sql`f.rowid`,
  };
}

/**
 * How many rows are sampled to see whether a text is common; for a common one enough matches are found among a few
 * more.
 */
const lookedAt = [150, 1_000, 5_000];
const usualShare = 0.05;

/** Ids of the rows whose names contain the text, in order, at most `most`. */
export async function idsByName(db: Db, named: NamedTable, search: Search): Promise<number[]> {
  const { text, most, columns = named.columns, and = sql<SqlBool>`1 = 1` } = search;
  const matches = sql`${has(text, columns)} and ${and}`;
  const direction = sql.raw(named.newestFirst ? 'desc' : 'asc');
  const found = async (from: RawBuilder<unknown>, order: RawBuilder<unknown>) => {
    const { rows } = await sql<{ id: number }>`select t.id as id from ${from} and ${matches}
      order by ${order} ${direction} limit ${most}`.execute(db);
    return rows.map((row) => row.id);
  };
  // PostgreSQL reads all matches from its index before sorting them. SQLite reads them in order.
  if (engineOf(db) === 'postgres')
    for (const looked of lookedAt) {
      const first = sql`(select * from ${sql.table(named.table)} order by id ${direction} limit ${looked}) as t where true`;
      const ids = await found(first, sql`t.id`);
      if (ids.length >= most) return ids;
      if (ids.length < looked * usualShare) break;
    }
  const { from, order } = candidates(db, named, text.toLowerCase());
  return found(from, order);
}

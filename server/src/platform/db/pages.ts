import { type SelectType, sql } from 'kysely';
import type { Db, Tables } from './tables.ts';

/** What a module stores about a user, by name; read in pages, so that no query stalls open streams. */
export type PersonalData = Record<string, AsyncIterable<object[]>>;

const mostPageRows = 500;
/** Rows can have any size: the page size adapts to the size of previous rows. */
const pageCharacters = 256 * 1024;

/**
 * Reads pages until one is not full, each starting after the last row of the one before. Yields to the event loop after
 * every read, even an empty one: SQLite answers synchronously, and a loop over many empty parts would block everything
 * else.
 */
export async function* pages<R extends object>(
  read: (after: R | null, limit: number) => Promise<R[]>,
): AsyncGenerator<R[]> {
  let after: R | null = null;
  for (let limit = 16; ; ) {
    const rows = await read(after, limit);
    await new Promise(setImmediate);
    if (rows.length > 0) yield rows;
    if (rows.length < limit) return;
    after = rows[rows.length - 1]!;
    limit = nextLimit(limit, rows);
  }
}

function nextLimit(limit: number, rows: object[]): number {
  let characters = 0;
  for (const row of rows)
    for (const value of Object.values(row)) characters += typeof value === 'string' ? value.length : 8;
  const fitting = Math.floor((pageCharacters * rows.length) / characters);
  return Math.max(1, Math.min(fitting, limit * 2, mostPageRows));
}

/** For small data: a single read. */
export async function* onePage<R extends object>(read: () => Promise<R[]>): AsyncGenerator<R[]> {
  yield await read();
}

interface Wanted<T extends keyof Tables, C extends keyof Tables[T] & string> {
  /** The column with the owner. */
  of: Partial<Record<keyof Tables[T] & string, number>>;
  /** Columns that identify a row and match the order of an index. */
  by?: C[];
  /** All columns if none are given. */
  columns?: C[];
}

type RowOf<T extends keyof Tables, C extends keyof Tables[T]> = { [K in C]: SelectType<Tables[T][K]> };

/** A user's rows of a table, page by page. */
export const rowsOf = <T extends keyof Tables, C extends keyof Tables[T] & string>(
  db: Db,
  table: T,
  { of, by = ['id' as C], columns }: Wanted<T, C>,
): AsyncGenerator<RowOf<T, C>[]> => {
  const refs = (names: string[]) => sql.join(names.map((name) => sql.ref(name)));
  const [owner, id] = Object.entries(of)[0]!;
  return pages(async (after: RowOf<T, C> | null, limit) => {
    const further = after ? sql`and (${refs(by)}) > (${sql.join(by.map((name) => after[name]))})` : sql``;
    const wanted = columns ? refs([...new Set([...by, ...columns])]) : sql`*`;
    const { rows } = await sql<RowOf<T, C>>`select ${wanted} from ${sql.table(table)}
      where ${sql.ref(owner)} = ${id} ${further} order by ${refs(by)} limit ${limit}`.execute(db);
    return rows;
  });
};

/** Rows per delete: it must not block the writer for long. */
const batchRows = 200;
/** Upper bound per sweep; the next one continues. */
export const sweepBatches = 500;

/** Deletes in batches until one is not full, letting requests run in between; returns the number of deleted rows. */
export async function inBatches(
  deleteSome: (most: number) => Promise<number>,
  batches = Number.POSITIVE_INFINITY,
): Promise<number> {
  let gone = 0;
  for (let i = 0; i < batches; i += 1) {
    const count = await deleteSome(batchRows);
    gone += count;
    if (count < batchRows) break;
    await new Promise(setImmediate);
  }
  return gone;
}

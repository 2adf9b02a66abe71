import { type SelectType, sql } from 'kysely';
import type { Db, Tables } from './tables.ts';

/** What a room knows of a user, by name; each part comes a page at a time, so that no read holds up the streams. */
export type PersonalData = Record<string, AsyncIterable<object[]>>;

const mostPageRows = 500;
/** Rows can be of any size: what is read at once follows what those before took. */
const pageCharacters = 256 * 1024;

/**
 * Reads on after the last row of the page before, until a page is not full. Others get their turn after every read, also where
 * nothing is found: SQLite answers at once, and a loop over many empty parts would never let go.
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

/** For what is small by nature: one read. */
export async function* onePage<R extends object>(read: () => Promise<R[]>): AsyncGenerator<R[]> {
  yield await read();
}

interface Wanted<T extends keyof Tables, C extends keyof Tables[T] & string> {
  /** Whose: a column that says so. */
  of: Partial<Record<keyof Tables[T] & string, number>>;
  /** What tells rows apart, and an index is ordered by. */
  by?: C[];
  /** All of them where none are named. */
  columns?: C[];
}

type RowOf<T extends keyof Tables, C extends keyof Tables[T]> = { [K in C]: SelectType<Tables[T][K]> };

/** Rows of somebody in a table, page by page. */
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

/** Rows of one delete: it must never hold the writer for long. */
const batchRows = 200;
/** A sweep that found a mountain goes on at its next turn. */
export const sweepBatches = 500;

/** Deletes in batches until one is not full, with room for requests in between; returns how many rows are gone. */
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

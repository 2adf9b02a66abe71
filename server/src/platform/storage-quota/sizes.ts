import { type RawBuilder, sql } from 'kysely';
import type { Db, Tables } from '../db/tables.ts';

/**
 * Overhead of a row besides its texts: ids, times and index entries. Otherwise a million empty rows would count as
 * nothing.
 */
export const rowBytes = 256;
const rowsAtOnce = 500;

interface Rows {
  table: keyof Tables;
  /** The condition; together with `by` it must match the start of an index. */
  where: RawBuilder<unknown>;
  /** Columns to order by. */
  by: string[];
  /** Text or blob columns. Both engines know their length without reading them. */
  texts?: string[];
  /** A column with a number of bytes. */
  counted?: string;
}

/** The size of rows, read in small pages so that no query stalls open streams. */
export async function sizeOf(db: Db, { table, where, by, texts = [], counted }: Rows): Promise<number> {
  const keys = sql.join(by.map((name) => sql.ref(name)));
  const lengths = texts.map((name) => sql`coalesce(octet_length(${sql.ref(name)}), 0)`);
  const length = sql.join(counted ? [sql.ref(counted), ...lengths] : [sql.lit(0), ...lengths], sql` + `);
  let bytes = 0;
  let after: RawBuilder<unknown> = sql`true`;
  for (;;) {
    const page = sql<Record<string, unknown> & { length_of: number }>`select ${keys}, ${length} as length_of
      from ${sql.table(table)} where ${where} and ${after} order by ${keys} limit ${sql.lit(rowsAtOnce)}`;
    const { rows } = await page.execute(db);
    for (const { length_of } of rows) bytes += rowBytes + Number(length_of);
    await new Promise(setImmediate);
    const last = rows.at(-1);
    if (!last || rows.length < rowsAtOnce) return bytes;
    after = sql`(${keys}) > (${sql.join(by.map((name) => last[name]))})`;
  }
}

/** The bytes of a text and of the row it is stored in. */
export const bytesOfRow = (...texts: string[]): number =>
  texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), rowBytes);

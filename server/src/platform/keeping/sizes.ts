import { type RawBuilder, sql } from 'kysely';
import type { Db, Tables } from '../db/tables.ts';

/** What a row takes beside its texts: ids, times, and its places in indexes. Else a million empty ones would be nothing. */
export const rowBytes = 256;
const rowsAtOnce = 500;

interface Rows {
  table: keyof Tables;
  /** Which of them; with `by`, what an index begins with. */
  where: RawBuilder<unknown>;
  /** Their order. */
  by: string[];
  /** Columns of text or bytes. Both engines know how long these are without reading them. */
  texts?: string[];
  /** A column that says how many bytes there are. */
  counted?: string;
}

/** What rows take, some at a time, so that no read holds up the streams. */
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

/** The bytes of a text, and of the row it becomes. */
export const bytesOfRow = (...texts: string[]): number =>
  texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), rowBytes);

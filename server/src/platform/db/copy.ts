import type { Database } from 'bun:sqlite';
import { sql } from 'kysely';
import { table } from '../../lib/table.ts';
import { insertText } from './insert-many.ts';
import type { Db } from './tables.ts';

/*
 * Copies every table of a SQLite file into a PostgreSQL database with the same columns. Fails if only the file has a
 * table or column, so that no data is lost silently.
 */

/** Not copied: each engine derives it in its own way, or it belongs to processes that no longer exist. */
const left = table<true | readonly string[]>({
  migrations: true,
  owners: true,
  usage_filed: true,
  usage_spans_filed: true,
  usage_logs: ['filed'],
});

/** PostgreSQL allows 65,535 parameters per statement. */
const mostParameters = 30_000;
const rowsAtOnce = 500;

interface Column {
  name: string;
  type: string;
}

interface Table {
  name: string;
  columns: Column[];
}

/** Call within a transaction: if a check fails, nothing was copied. */
export async function copyTables(
  source: Database,
  tx: Db,
  copied: (table: string, rows: number) => void,
): Promise<void> {
  const tables = await tablesOf(source, tx);
  const names = tables.map(({ name }) => quoted(name)).join(', ');
  await sql.raw(`truncate ${names}`).execute(tx);
  makeWords(source);
  // What triggers would write is already in the file.
  for (const { name } of tables) await sql.raw(`alter table ${quoted(name)} disable trigger user`).execute(tx);
  for (const table of tables) {
    await copyTable(source, tx, table).catch((error: unknown) => {
      throw new Error(`${table.name} cannot be copied: ${error instanceof Error ? error.message : error}`);
    });
    copied(table.name, await compare(source, tx, table));
  }
  for (const { name } of tables) await sql.raw(`alter table ${quoted(name)} enable trigger user`).execute(tx);
  await setNextIds(source, tx, tables);
}

const quoted = (name: string): string => `"${name}"`;

/** In an order in which referenced tables come first. */
async function tablesOf(source: Database, tx: Db): Promise<Table[]> {
  const columns = await columnsThere(tx);
  const here = source
    .query<{ name: string }, []>(
      `select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%'`,
    )
    .all();
  const tables = here
    .filter(({ name }) => left[name] !== true)
    .map(({ name }) => {
      const known = columns.get(name) ?? [];
      const leaves = left[name] ?? [];
      const missing = columnsHere(source, name).filter(
        (column) => !known.some((other) => other.name === column) && leaves !== true && !leaves.includes(column),
      );
      if (missing.length > 0) throw new Error(`PostgreSQL has no columns for ${name} (${missing.join(', ')})`);
      return { name, columns: known };
    });
  return inOrder(tables, await referencesThere(tx));
}

const columnsHere = (source: Database, table: string): string[] =>
  source
    .query<{ name: string }, [string]>('select name from pragma_table_info(?)')
    .all(table)
    .map(({ name }) => name);

async function columnsThere(tx: Db): Promise<Map<string, Column[]>> {
  const { rows } = await sql<{ table: string; name: string; type: string }>`
    select table_name as table, column_name as name, data_type as type from information_schema.columns
    where table_schema = current_schema() order by ordinal_position`.execute(tx);
  const tables = Map.groupBy(rows, ({ table }) => table);
  return new Map([...tables].map(([table, columns]) => [table, columns.map(({ name, type }) => ({ name, type }))]));
}

interface Reference {
  from: string;
  to: string;
}

async function referencesThere(tx: Db): Promise<Reference[]> {
  const { rows } = await sql<Reference>`select f.relname as from, t.relname as to from pg_constraint c
    join pg_class f on f.oid = c.conrelid join pg_class t on t.oid = c.confrelid
    where c.contype = 'f' and c.conrelid <> c.confrelid and c.connamespace = current_schema()::regnamespace`.execute(
    tx,
  );
  return rows;
}

function inOrder(tables: Table[], references: Reference[]): Table[] {
  const done: Table[] = [];
  let waiting = tables;
  while (waiting.length > 0) {
    const isWaiting = (name: string) => waiting.some((table) => table.name === name);
    const next = waiting.filter(({ name }) => !references.some(({ from, to }) => from === name && isWaiting(to)));
    if (next.length === 0) throw new Error(`${waiting.map(({ name }) => name).join(', ')} refer to each other`);
    done.push(...next);
    waiting = waiting.filter((table) => !next.includes(table));
  }
  return done;
}

/** The words of documents, which SQLite only has in an index. */
function makeWords(source: Database): void {
  source.run(`create virtual table temp.copied_terms using fts5vocab (main, ms_documents_fts, instance)`);
  source.run(
    `create table temp.copied_words as select doc, group_concat(term, ' ') as words from copied_terms group by 1`,
  );
  source.run('create unique index temp.copied_words_doc on copied_words (doc)');
}

const readColumn = ({ name, type }: Column): string =>
  type === 'tsvector' ? `coalesce((select words from temp.copied_words where doc = t.id), '')` : `t.${quoted(name)}`;

async function copyTable(source: Database, tx: Db, { name, columns }: Table): Promise<void> {
  const most = Math.min(rowsAtOnce, Math.floor(mostParameters / columns.length));
  const insert = async (rows: unknown[][]) => {
    const text = insertText(
      quoted(name),
      columns.map((column) => quoted(column.name)),
      rows.length,
      'postgres',
    );
    await tx.executeQuery({ ...sql.raw(text).compile(tx), parameters: rows.flat() });
  };
  const read = source.query(`select ${columns.map(readColumn).join(', ')} from main.${quoted(name)} t`);
  let rows: unknown[][] = [];
  for (const row of read.iterate()) {
    rows.push(Object.values(row as object));
    if (rows.length < most) continue;
    await insert(rows);
    rows = [];
  }
  if (rows.length > 0) await insert(rows);
}

/** A checksum of a column that both engines compute the same way: remainders add up without overflow. */
const sumOf = ({ name, type }: Column): string => {
  if (type === 'bigint') return `sum(${quoted(name)} % 1000003)`;
  if (type === 'text' || type === 'bytea') return `sum(octet_length(${quoted(name)}))`;
  return 'count(*)';
};

async function compare(source: Database, tx: Db, { name, columns }: Table): Promise<number> {
  const sums = columns.map((column, at) => `${sumOf(column)} as sum_${at}`);
  const text = `select count(*) as rows, ${sums.join(', ')} from ${quoted(name)}`;
  const here = source.query<Record<string, number | null>, []>(text).get()!;
  const there = (await sql.raw<Record<string, number | string | null>>(text).execute(tx)).rows[0]!;
  for (const [what, sum] of Object.entries(here))
    if (Number(sum) !== Number(there[what]))
      throw new Error(
        `${name} differs from its copy: ${columns[Number(what.slice(4))]?.name ?? what} is ${sum} and ${there[what]}`,
      );
  return Number(here.rows);
}

/** Ids are never reused, not even those of deleted rows. */
async function setNextIds(source: Database, tx: Db, tables: Table[]): Promise<void> {
  const given = source
    .query<{ name: string; seq: number; id: string }, []>(
      'select s.name, s.seq, c.name as id from sqlite_sequence s, pragma_table_info(s.name) c where c.pk = 1 and s.seq > 0',
    )
    .all();
  for (const { name, seq, id } of given)
    if (tables.some((table) => table.name === name))
      await sql`select setval(pg_get_serial_sequence(${name}, ${id}), ${sql.lit(seq)})`.execute(tx);
}

import type { Database } from 'bun:sqlite';
import { afterAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { sql } from 'kysely';
import { copyTables } from './copy.ts';
import { createMigrated, migratedDatabase } from './migrated.fixture.ts';
import { openDb } from './open.ts';

const serverUrl = process.env.DATABASE_URL_TEST ?? 'postgres://root@127.0.0.1:5432/postgres';
const name = `svc_copy_${process.pid}_${Date.now()}`;
const url = new URL(serverUrl);
url.pathname = `/${name}`;
const admin = new SQL(serverUrl, { max: 1 });
const reachable = await createMigrated(admin, serverUrl, name).then(
  () => true,
  () => false,
);
afterAll(async () => {
  if (reachable) await admin.unsafe(`drop database ${name} with (force)`);
  await admin.close();
});

interface Column {
  name: string;
  type: string;
}

/** Not copied: of processes, of one engine only, or indexes. */
const elsewhere = ['migrations', 'owners', 'usage_filed', 'usage_spans_filed'];

function tablesOf(source: Database): { table: string; columns: Column[] }[] {
  const names = source
    .query<{ name: string }, []>("select name from pragma_table_list where schema = 'main' and type = 'table'")
    .all();
  return names
    .filter(({ name }) => !elsewhere.includes(name) && !name.startsWith('sqlite_'))
    .map(({ name }) => {
      const columns = source.query<Column, [string]>('select name, type from pragma_table_info(?)').all(name);
      return { table: name, columns: columns.filter((column) => column.name !== 'filed') };
    });
}

/** Everything is 1, so that all references resolve. */
const values: Record<string, number | string | Uint8Array> = {
  INTEGER: 1,
  bigint: 1,
  TEXT: '["ü"]',
  REAL: 0.1,
  BLOB: new Uint8Array([0, 255, 10]),
};
const given = ({ type }: Column) => values[type] ?? values[type.toUpperCase()]!;

/** A row in every table, generated from the schema; rows added by triggers are deleted again. */
async function filled(): Promise<Database> {
  const source = await migratedDatabase();
  source.run('pragma foreign_keys = off');
  const triggers = source
    .query<{ name: string; sql: string }, []>("select name, sql from sqlite_master where type = 'trigger'")
    .all();
  for (const trigger of triggers) source.run(`drop trigger ${trigger.name}`);
  for (const { table, columns } of tablesOf(source)) {
    const names = columns.map((column) => `"${column.name}"`).join(', ');
    const marks = columns.map(() => '?').join(', ');
    source.run(`delete from ${table}`);
    source.query(`insert into ${table} (${names}) values (${marks})`).run(...columns.map(given));
  }
  source.run("insert into ms_documents_fts (rowid, owner, terms) values (1, 'k1', 'u1xgreen u1xtea u1xtea')");
  return source;
}

describe.skipIf(!reachable)('copying a SQLite file to PostgreSQL', () => {
  test('copies every row and its search terms once; ids continue', async () => {
    const source = await filled();
    source.run("update sqlite_sequence set seq = 41 where name in ('users', 'usage_logs')");
    const target = await openDb({ url: url.href, poolSize: 1 });
    const copied: Record<string, number> = {};
    await target.db.transaction().execute((tx) =>
      copyTables(source, tx, (table, rows) => {
        copied[table] = rows;
      }),
    );
    const tables = tablesOf(source);
    expect(copied).toEqual(Object.fromEntries(tables.map(({ table }) => [table, 1])));
    for (const { table, columns } of tables) {
      const { rows } = await sql.raw<Record<string, unknown>>(`select * from ${table}`).execute(target.db);
      expect(rows).toHaveLength(1);
      for (const column of columns)
        expect([table, column.name, rows[0]![column.name]]).toEqual([table, column.name, given(column)]);
    }
    const found = sql`select 1 from ms_documents where terms @@ 'u1xtea'::tsquery and terms @@ 'k1'::tsquery`;
    expect((await found.execute(target.db)).rows).toHaveLength(1);
    const next = (table: string) => sql<{ n: number }>`select nextval(pg_get_serial_sequence(${table}, 'id')) as n`;
    for (const table of ['users', 'usage_logs'])
      expect((await next(table).execute(target.db)).rows).toEqual([{ n: 42 }]);
    // Triggers are enabled again.
    await sql`update audit_log set target_name = 'renamed'`.execute(target.db);
    expect((await sql`select 1 from audit_targets`.execute(target.db)).rows).toHaveLength(0);
    await target.close();
    source.close();
  });

  test.each([
    [
      'a column that PostgreSQL lacks',
      'alter table users add column shoe_size integer',
      'no columns for users (shoe_size)',
    ],
    ['a table that it lacks', 'create table shoes (size integer)', 'no columns for shoes (size)'],
    ['a constraint violation', 'update oauth_applications set owner_id = 7', 'oauth_applications cannot be copied'],
  ])('%s aborts the copy, and nothing is changed', async (_, change, said) => {
    const source = await filled();
    source.run(change);
    const target = await openDb({ url: url.href, poolSize: 1 });
    const before = (await sql`select * from users`.execute(target.db)).rows;
    const copying = target.db.transaction().execute((tx) => copyTables(source, tx, () => {}));
    await expect(copying).rejects.toThrow(said);
    expect((await sql`select * from users`.execute(target.db)).rows).toEqual(before);
    await target.close();
    source.close();
  });
});

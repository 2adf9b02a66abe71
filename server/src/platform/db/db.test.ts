import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { sql } from 'kysely';
import { version } from '../../../../package.json';
import { deadAfterMs } from '../durable/owners.ts';
import { listApplied, migrate } from './migrate.ts';
import { earlier, migrations } from './migrations/index.ts';
import { type OpenDb, openDb } from './open.ts';
import { readSync, sqliteOf } from './sqlite-dialect.ts';
import { engineOf } from './tables.ts';

const serverUrl = process.env.DATABASE_URL_TEST ?? 'postgres://root@127.0.0.1:5432/postgres';
const name = `svc_db_${process.pid}_${Date.now()}`;
const folder = mkdtempSync(join(tmpdir(), 'svc-db-'));
const admin = new SQL(serverUrl, { max: 1 });
const reachable = await admin.unsafe(`create database ${name}`).then(
  () => true,
  () => false,
);
const url = new URL(serverUrl);
url.pathname = `/${name}`;

const engines: [string, () => Promise<OpenDb>][] = [['sqlite', () => openDb({ path: join(folder, 'a.db') })]];
if (reachable) engines.push(['postgres', () => openDb({ url: url.href })]);

afterAll(async () => {
  rmSync(folder, { recursive: true });
  if (reachable) await admin.unsafe(`drop database ${name} with (force)`);
  await admin.close();
});

describe.each(engines)('%s', (engine, open) => {
  test('migrations run once when two processes start together, and numbers are read as numbers', async () => {
    const a = await open();
    // SQLite has one owner, so there two migrators can only share one handle.
    const b = engine === 'sqlite' ? a : await open();
    const applied = await Promise.all([migrate(a.db), migrate(b.db)]);
    expect(applied.map((list) => list.length).sort((x, y) => x - y)[0]).toBe(0);
    expect(engineOf(a.db)).toBe(engine as 'sqlite' | 'postgres');
    const { rows } = await sql<{ big: number; half: number }>`select 50000000000 as big, 0.5 * 1.0 as half`.execute(
      a.db,
    );
    expect(rows[0]!.big).toBe(50_000_000_000);
    await a.close();
    if (b !== a) await b.close();
  });

  test('a program older than its database names the required version and changes nothing', async () => {
    const { db, close } = await open();
    await migrate(db);
    const older = migrations.slice(0, -1);
    const late = migrations.at(-1)!.name;
    await expect(migrate(db, older)).rejects.toThrow(`the database belongs to svc ${version}, which ran ${late}`);
    const later = { name: '0999-later', statements: () => ['create table later (v text)'] };
    await expect(migrate(db, [...older, later])).rejects.toThrow(`Start version ${version} or a later one`);
    expect((await listApplied(db)).map((step) => step.name)).toEqual(migrations.map(({ name }) => name));
    await close();
  });

  test('a transaction is atomic, and concurrent statements wait or see the old state', async () => {
    const { db, close } = await open();
    await sql`create table pair (k text primary key, v bigint not null)`.execute(db);
    await sql`insert into pair (k, v) values ('a', 1)`.execute(db);
    const failed = db.transaction().execute(async (tx) => {
      await sql`update pair set v = 2 where k = 'a'`.execute(tx);
      const outside = await sql<{ v: number }>`select v from pair where k = 'a'`.execute(db);
      expect(outside.rows[0]!.v).toBe(1);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    const writes = Array.from({ length: 20 }, (_, i) =>
      i % 2
        ? sql`update pair set v = v + 1 where k = 'a'`.execute(db)
        : db.transaction().execute((tx) => sql`update pair set v = v + 1 where k = 'a'`.execute(tx)),
    );
    await Promise.all(writes);
    const { rows } = await sql<{ v: number }>`select v from pair`.execute(db);
    expect(rows).toEqual([{ v: 21 }]);
    const updated = await sql`update pair set v = 0 where k = 'b'`.execute(db);
    expect(updated.numAffectedRows).toBe(0n);
    await close();
  });
});

test.skipIf(!reachable)('a transaction ends with a process considered dead', async () => {
  const { db, close } = await openDb({ url: url.href });
  const setting = sql<{ ms: number }>`select extract(epoch from
    current_setting('idle_in_transaction_session_timeout')::interval) * 1000 as ms`;
  const { rows } = await db.transaction().execute((tx) => setting.execute(tx));
  expect(Number(rows[0]!.ms)).toBe(deadAfterMs);
  await close();
});

test.skipIf(!reachable)(
  'a server that is slow to respond at first is retried',
  async () => {
    let connections = 0;
    const proxy = createServer((client) => {
      connections += 1;
      // The first connection gets no answer.
      if (connections === 1) return;
      const server = connect(Number(url.port || 5432), url.hostname);
      client.pipe(server).pipe(client);
      for (const socket of [client, server]) socket.on('error', () => {});
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const through = new URL(url);
    through.port = `${(proxy.address() as AddressInfo).port}`;
    const { db, close } = await openDb({ url: through.href, poolSize: 1 });
    expect((await sql<{ one: number }>`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
    expect(connections).toBeGreaterThan(1);
    await close();
    proxy.close();
  },
  300_000,
);

describe('a database of a build before the first version', () => {
  const names = migrations.map(({ name }) => name);
  /** The state such a build left: the same tables, created by other migrations. */
  async function earlierDatabase(steps: string[]) {
    const { db, close } = await openDb({ path: ':memory:' });
    await migrate(
      db,
      migrations.filter(({ name }) => name <= earlier.made),
    );
    await sql`delete from migrations`.execute(db);
    for (const step of steps) await sql`insert into migrations (name, applied_at) values (${step}, 1)`.execute(db);
    return { db, close };
  }

  test('is continued, since its tables are the same', async () => {
    const { db, close } = await earlierDatabase(['0001-identity', earlier.first, '0003-billing', earlier.last]);
    await sql`insert into leases (name, owner, token) values ('a', 'b', 'c')`.execute(db);
    expect(await migrate(db)).toEqual(names.filter((name) => !['0001-identity', '0003-billing'].includes(name)));
    expect(await migrate(db)).toEqual([]);
    expect((await sql`select * from leases`.execute(db)).rows).toHaveLength(1);
    expect((await sql`select * from billing_purses`.execute(db)).rows).toEqual([]);
    await close();
  });

  test('is refused if it stopped half way, and left unchanged', async () => {
    const { db, close } = await earlierDatabase(['0001-identity', earlier.first]);
    await expect(migrate(db)).rejects.toThrow('early build');
    expect((await listApplied(db)).map((step) => step.name)).toEqual(['0001-identity', earlier.first]);
    await close();
  });
});

test('after migrations SQLite keeps statement journals in memory, not in files', async () => {
  const { db, close } = await openDb({ path: join(folder, 'journals.db') });
  await migrate(db);
  const { writer } = sqliteOf(db);
  expect(writer.query('pragma temp_store').get()).toEqual({ temp_store: 2 });
  await close();
});

test.each([':memory:', join(folder, 'direct.db')])('%s: concurrent reads see only committed rows', async (path) => {
  const { db, close } = await openDb({ path });
  await sql`create table one (v bigint not null)`.execute(db);
  expect(await readSync(db, 'select v from one', [])).toBeNull();
  await sql`insert into one (v) values (1)`.execute(db);
  const read = () => readSync<{ v: number }>(db, 'select v from one where v > ?1', [0]);
  expect(read()).toEqual({ v: 1 });
  let beside: unknown;
  const failed = db.transaction().execute(async (tx) => {
    await sql`update one set v = 2`.execute(tx);
    beside = read();
    throw new Error('no');
  });
  await expect(failed).rejects.toThrow('no');
  expect(await beside).toEqual({ v: 1 });
  await close();
});

test.skipIf(!reachable)('a statement prepared before a migration added a column still works', async () => {
  const { db, close } = await openDb({ url: url.href, poolSize: 1 });
  await sql`create table widened (a bigint)`.execute(db);
  await sql`insert into widened values (1)`.execute(db);
  const read = (tx = db) => sql<object>`select * from widened where a = ${1}`.execute(tx).then(({ rows }) => rows[0]);
  expect(await read()).toEqual({ a: 1 });
  await sql`alter table widened add column b bigint`.execute(db);
  expect(await read()).toEqual({ a: 1, b: null });
  await sql`alter table widened add column c bigint`.execute(db);
  // A transaction in progress cannot continue; the next one works.
  await db
    .transaction()
    .execute(read)
    .catch(() => {});
  expect(await db.transaction().execute(read)).toEqual({ a: 1, b: null, c: null });
  await close();
});

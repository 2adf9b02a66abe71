/** The tables of the previous release after migration: everything the current version needs, and everything the previous release uses. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { sql } from 'kysely';
import { migrate } from '../../server/src/platform/db/migrate.ts';
import { openDb } from '../../server/src/platform/db/open.ts';
import { type Db, engineOf } from '../../server/src/platform/db/tables.ts';
import { NoServer, type OwnServer, ownPostgres } from '../servers.ts';
import { checkOut, NoRelease, type Release } from './release.ts';

let before: Release | undefined;
let postgres: OwnServer | undefined;
let missing = '';
const folder = mkdtempSync(join(tmpdir(), 'svc-tables-'));
beforeAll(async () => {
  try {
    before = await checkOut();
    postgres = await ownPostgres();
  } catch (error) {
    if (!(error instanceof NoServer) && !(error instanceof NoRelease)) throw error;
    missing = error.message;
    console.log(`SKIPPED: the tables of the release before (${missing})`);
  }
}, 600_000);
afterAll(async () => {
  await postgres?.remove();
  await before?.remove();
  rmSync(folder, { recursive: true, force: true });
});

interface Column {
  type: string;
  /** A row can be inserted without this column. */
  may_be_left_out: boolean;
}

/** By table and column name. */
async function columnsOf(db: Db): Promise<Map<string, Column>> {
  const { rows } =
    engineOf(db) === 'sqlite'
      ? await sql<Column & { name: string }>`select m.name || '.' || c.name as name, lower(c.type) as type,
          c."notnull" = 0 or c.dflt_value is not null or c.pk > 0 as may_be_left_out
          from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table'`.execute(db)
      : await sql<Column & { name: string }>`select table_name || '.' || column_name as name, data_type as type,
          is_nullable = 'YES' or column_default is not null or is_identity = 'YES' as may_be_left_out
          from information_schema.columns where table_schema = 'public'`.execute(db);
  return new Map(
    rows.map(({ name, type, may_be_left_out }) => [name, { type, may_be_left_out: Boolean(may_be_left_out) }]),
  );
}

type Place = { path: string } | { url: string; poolSize: number };

async function place(engine: string, name: string): Promise<Place> {
  if (engine === 'sqlite') return { path: join(folder, name) };
  const admin = new SQL(postgres!.url, { max: 1 });
  await admin.unsafe(`create database ${name}`);
  await admin.close();
  const url = new URL(postgres!.url);
  url.pathname = `/${name}`;
  return { url: url.href, poolSize: 1 };
}

/** Opened and migrated by one version or the other. */
async function columnsAfter(at: Place, version?: Release): Promise<Map<string, Column>> {
  const rooms = version ? join(version.folder, 'server/src/platform/db') : '';
  const its = version
    ? { ...(await import(`${rooms}/open.ts`)), ...(await import(`${rooms}/migrate.ts`)) }
    : { openDb, migrate };
  const { db, close } = await its.openDb(at);
  await its.migrate(db);
  await close();
  const again = await openDb(at);
  const columns = await columnsOf(again.db);
  await again.close();
  return columns;
}

const namesOf = (columns: Map<string, unknown>): string[] => [...columns.keys()].sort();

describe.each(['sqlite', 'postgres'])('a database upgraded from the previous release on %s', (engine) => {
  test('has every column of a fresh one, and stays usable by the previous release on PostgreSQL', async () => {
    if (missing) return;
    const at = await place(engine, 'upgraded');
    const old = await columnsAfter(at, before);
    const upgraded = await columnsAfter(at);
    const fresh = await columnsAfter(await place(engine, 'fresh'));
    // Monthly partitions of the log are created over time.
    const lasting = (name: string) => !/^usage_logs_/.test(name);
    expect(
      namesOf(fresh).filter((name) => lasting(name) && upgraded.get(name)?.type !== fresh.get(name)!.type),
    ).toEqual([]);
    const more = namesOf(upgraded).filter((name) => lasting(name) && !fresh.has(name));
    const tables = new Set(namesOf(fresh).map((name) => name.split('.')[0]));
    const shared = more.filter((name) => tables.has(name.split('.')[0]));
    expect(shared.filter((name) => !upgraded.get(name)!.may_be_left_out)).toEqual([]);
    if (engine === 'sqlite') return;
    expect(namesOf(old).filter((name) => !upgraded.has(name))).toEqual([]);
    const added = namesOf(upgraded).filter((name) => !old.has(name));
    const known = new Set(namesOf(old).map((name) => name.split('.')[0]));
    const demanded = added.filter((name) => known.has(name.split('.')[0]) && !upgraded.get(name)!.may_be_left_out);
    expect(demanded).toEqual([]);
  }, 300_000);
});

import { afterAll } from 'bun:test';
import { SQL } from 'bun';
import { randomString } from '../../lib/ids.ts';
import { until } from '../../lib/until.fixture.ts';
import { createMigrated, openMigrated } from '../../platform/db/migrated.fixture.ts';
import { type OpenDb, openDb } from '../../platform/db/open.ts';

const serverUrl = process.env.DATABASE_URL_TEST ?? 'postgres://root@127.0.0.1:5432/postgres';

export interface TestDb extends OpenDb {
  /** The same database as another process has it open; of SQLite there is none. */
  again?(): Promise<OpenDb>;
  /** How often the server broke off a transaction that waited for another in a ring; after everything is closed. */
  deadlocks?(): Promise<number>;
}

export const openMemoryDb = (): Promise<TestDb> => openMigrated();

/** For tests: how to open an empty database with this room's tables, per engine that can be reached. */
export async function engines(): Promise<[string, () => Promise<TestDb>][]> {
  const list: [string, () => Promise<TestDb>][] = [['sqlite', openMemoryDb]];
  const admin = new SQL(serverUrl, { max: 1 });
  const names: string[] = [];
  const openPostgres = async () => {
    const name = `svc_orchestra_${randomString(12).toLowerCase()}`;
    await createMigrated(admin, serverUrl, name);
    names.push(name);
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;
    const again = () => openDb({ url: url.href, poolSize: 4 });
    const opened = await again();
    return { ...opened, again, deadlocks: () => deadlocksOf(admin, name) };
  };
  const reachable = await admin.unsafe('select 1').then(
    () => true,
    () => false,
  );
  if (reachable) list.push(['postgres', openPostgres]);
  afterAll(async () => {
    for (const name of names) await admin.unsafe(`drop database ${name} with (force)`);
    await admin.close();
  });
  return list;
}

/** A backend tells what it counted when it ends, at the latest. */
async function deadlocksOf(admin: SQL, name: string): Promise<number> {
  await until('nobody uses the database any more', async () => {
    const [row] = await admin`select count(*)::int as open from pg_stat_activity where datname = ${name}`;
    return row.open === 0;
  });
  const [row] = await admin`select deadlocks::int as deadlocks from pg_stat_database where datname = ${name}`;
  return row.deadlocks;
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { migrate } from './migrate.ts';
import { createMigrated, writeMigrated } from './migrated.fixture.ts';
import type { Migration } from './migration.ts';
import { type OpenDb, openDb } from './open.ts';

export type Where = { path: string } | { url: string; poolSize: number };
export interface TestDb extends OpenDb {
  where: Where;
  drop(): Promise<void>;
}
/** For tests: an empty database, on each engine that is reachable. */
export interface TestEngine {
  name: string;
  /** With the given migrations, or all. */
  open(migrations?: Migration[]): Promise<TestDb>;
}

const server = process.env.DATABASE_URL_TEST ?? 'postgres://root@127.0.0.1:5432/postgres';
let counter = 0;

const sqlite: TestEngine = {
  name: 'sqlite',
  open: async (migrations) => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-test-'));
    const where = { path: join(folder, 'test.db') };
    if (!migrations) await writeMigrated(where.path);
    const opened = await openDb(where);
    if (migrations) await migrate(opened.db, migrations);
    const drop = async () => {
      await opened.close();
      rmSync(folder, { recursive: true });
    };
    return { ...opened, where, drop };
  },
};

const postgres: TestEngine = {
  name: 'postgres',
  open: async (migrations) => {
    counter += 1;
    const database = `svc_test_${process.pid}_${Date.now()}_${counter}`;
    const admin = new SQL(server, { max: 1 });
    if (migrations) await admin.unsafe(`create database ${database}`);
    else await createMigrated(admin, server, database);
    const url = new URL(server);
    url.pathname = `/${database}`;
    const where = { url: url.href, poolSize: 4 };
    const opened = await openDb(where);
    if (migrations) await migrate(opened.db, migrations);
    const drop = async () => {
      await opened.close();
      await admin.unsafe(`drop database ${database} with (force)`);
      await admin.close();
    };
    return { ...opened, where, drop };
  },
};

const probe = new SQL(server, { max: 1, connectionTimeout: 2 });
const reachable = await probe.unsafe('select 1').then(
  () => true,
  () => false,
);
await probe.close();

export const engines: TestEngine[] = reachable ? [sqlite, postgres] : [sqlite];

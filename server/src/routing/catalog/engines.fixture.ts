import { SQL } from 'bun';
import { createMigrated, openMigrated } from '../../platform/db/migrated.fixture.ts';
import { type OpenDb, openDb } from '../../platform/db/open.ts';

/** For tests: a fresh database with the tables of the catalog, on each engine that can be reached. */
export interface TestEngine {
  name: string;
  open(): Promise<OpenDb & { drop(): Promise<void> }>;
}

const server = process.env.DATABASE_URL_TEST ?? 'postgres://root@127.0.0.1:5432/postgres';
let counter = 0;

const sqlite: TestEngine = {
  name: 'sqlite',
  open: async () => {
    const opened = await openMigrated();
    return { ...opened, drop: opened.close };
  },
};

const postgres: TestEngine = {
  name: 'postgres',
  open: async () => {
    counter += 1;
    const database = `svc_catalog_${process.pid}_${Date.now()}_${counter}`;
    const admin = new SQL(server, { max: 1 });
    await createMigrated(admin, server, database);
    const url = new URL(server);
    url.pathname = `/${database}`;
    const opened = await openDb({ url: url.href, poolSize: 4 });
    const drop = async () => {
      await opened.close();
      await admin.unsafe(`drop database ${database} with (force)`);
      await admin.close();
    };
    return { ...opened, drop };
  },
};

const reachable = await (async () => {
  const probe = new SQL(server, { max: 1, connectionTimeout: 2 });
  return probe
    .unsafe('select 1')
    .then(() => true)
    .catch(() => false)
    .finally(() => probe.close());
})();

export const engines: TestEngine[] = reachable ? [sqlite, postgres] : [sqlite];

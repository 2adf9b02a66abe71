import { SQL } from 'bun';
import { migrate } from './migrate.ts';
import { wordsOf } from './migration.ts';
import { migrations } from './migrations/index.ts';
import { openDb } from './open.ts';

/** Any number will do, as long as every test uses the same one. */
const lockNumber = 728_104_213;
const steps = migrations.map((migration) => [migration.name, migration.statements(wordsOf('postgres'))]);
const template = `svc_template_${Bun.hash(JSON.stringify(steps)).toString(36)}`;

/** A database of a test's own, with all tables: copied from one that the first test on this server has made. */
export async function createMigrated(admin: SQL, serverUrl: string, name: string): Promise<void> {
  // The files as they are: by default every page would go through the log of the server.
  const copy = () => admin.unsafe(`create database ${name} template ${template} strategy file_copy`);
  // The template is missing, or somebody is just making it.
  await copy().catch(async () => {
    await makeTemplate(serverUrl);
    await copy();
  });
}

async function makeTemplate(serverUrl: string): Promise<void> {
  const admin = new SQL(serverUrl, { max: 1 });
  try {
    await admin.unsafe(`select pg_advisory_lock(${lockNumber})`);
    const found = await admin.unsafe(`select 1 from pg_database where datname = '${template}'`);
    if (found.length > 0) return;
    // Under another name until it is whole, so that nobody copies half of it.
    const draft = `${template}_draft`;
    await admin.unsafe(`drop database if exists ${draft} with (force)`);
    await admin.unsafe(`create database ${draft}`);
    const url = new URL(serverUrl);
    url.pathname = `/${draft}`;
    const { db, close } = await openDb({ url: url.href, poolSize: 1 });
    await migrate(db);
    await close();
    await admin.unsafe(`alter database ${draft} rename to ${template}`);
  } finally {
    await admin.close();
  }
}

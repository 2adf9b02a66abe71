import { Database } from 'bun:sqlite';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { SQL } from 'bun';
import { migrate } from './migrate.ts';
import { wordsOf } from './migration.ts';
import { migrations } from './migrations/index.ts';
import { inMemory, type OpenDb, openDb } from './open.ts';

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

/** All tables of SQLite, empty: made once in a process and copied for each test, since to make them takes longer than most tests. */
let image: Promise<Uint8Array> | undefined;

async function makeImage(): Promise<Uint8Array> {
  const database = new Database(':memory:', { strict: true });
  const { db, close } = inMemory(database);
  await migrate(db);
  const bytes = database.serialize();
  await close();
  return bytes;
}

function migratedImage(): Promise<Uint8Array> {
  image ??= sharedImage(process.env.SVC_TEST_TABLES);
  return image;
}

/** `npm test` names a file, so that only the first process of a run makes them. */
async function sharedImage(file: string | undefined): Promise<Uint8Array> {
  if (!file) return makeImage();
  if (existsSync(file)) return readFileSync(file);
  const bytes = await makeImage();
  // Under another name until it is whole: others may be looking.
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, bytes);
  renameSync(draft, file);
  return bytes;
}

/** An empty SQLite database in memory, with all tables. */
export const migratedDatabase = async (): Promise<Database> =>
  Database.deserialize(await migratedImage(), { strict: true });

export const openMigrated = async (): Promise<OpenDb> => inMemory(await migratedDatabase());

/** The same as a file, for who opens it by its path. Closed to others, as the service would make it. */
export async function writeMigrated(path: string): Promise<void> {
  writeFileSync(path, await migratedImage(), { flag: 'wx', mode: 0o600 });
}

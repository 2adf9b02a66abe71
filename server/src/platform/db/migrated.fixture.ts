import { Database } from 'bun:sqlite';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { SQL } from 'bun';
import { migrate } from './migrate.ts';
import { wordsOf } from './migration.ts';
import { migrations } from './migrations/index.ts';
import { inMemory, type OpenDb, openDb } from './open.ts';

/** Arbitrary lock id, the same in every test. */
const lockNumber = 728_104_213;
const steps = migrations.map((migration) => [migration.name, migration.statements(wordsOf('postgres'))]);
const template = `svc_template_${Bun.hash(JSON.stringify(steps)).toString(36)}`;

/**
 * Creates a database with all tables for one test, copied from a template that the first test on this server creates.
 */
export async function createMigrated(admin: SQL, serverUrl: string, name: string): Promise<void> {
  // File copy: by default every page would go through the server's WAL.
  const copy = () => admin.unsafe(`create database ${name} template ${template} strategy file_copy`);
  // The template is missing, or another test is creating it.
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
    // Created under another name and renamed when complete, so that a half-finished template is never copied.
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

/**
 * A SQLite database with all tables, created once per process and copied for each test: creating it takes longer than
 * most tests.
 */
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

/** `npm test` sets a file, so that only the first process of a run creates it. */
async function sharedImage(file: string | undefined): Promise<Uint8Array> {
  if (!file) return makeImage();
  if (existsSync(file)) return readFileSync(file);
  const bytes = await makeImage();
  // Written under another name and renamed, because other processes may be reading.
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, bytes);
  renameSync(draft, file);
  return bytes;
}

/** An empty SQLite database in memory, with all tables. */
export const migratedDatabase = async (): Promise<Database> =>
  Database.deserialize(await migratedImage(), { strict: true });

export const openMigrated = async (): Promise<OpenDb> => inMemory(await migratedDatabase());

/** The same as a file, for code that opens it by path. Only accessible to the owner, like the service's own. */
export async function writeMigrated(path: string): Promise<void> {
  writeFileSync(path, await migratedImage(), { flag: 'wx', mode: 0o600 });
}

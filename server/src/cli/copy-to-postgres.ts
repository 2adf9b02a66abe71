import { Database } from 'bun:sqlite';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { fileAll } from '../billing/store/filing.ts';
import { createMonthPartitions } from '../billing/store/month-partitions.ts';
import { fileSpans } from '../billing/store/roll-up-spans.ts';
import { diskBlobs } from '../platform/blobs/disk.ts';
import { type S3Config, s3Blobs } from '../platform/blobs/s3.ts';
import { copyTables } from '../platform/db/copy.ts';
import { migrate } from '../platform/db/migrate.ts';
import { openDb } from '../platform/db/open.ts';
import type { Db } from '../platform/db/tables.ts';
import { lockDataFolder } from '../platform/owner-lock.ts';
import { explained } from '../platform/start-fault.ts';
import { type CommandCall, noDatabaseIn } from './command.ts';

/**
 * PostgreSQL receives everything or nothing. The SQLite file is only changed as a normal start would change it, so that
 * a copy can be tried out, and made from a backup while the service runs.
 */
export async function copyToPostgres({ config, print }: CommandCall): Promise<number> {
  const file = join(config.dataDir, 'svc.db');
  if (!config.databaseUrl) {
    print('Set DATABASE_URL to the PostgreSQL database to copy DATA_DIR to.');
    return 1;
  }
  if (!existsSync(file)) {
    print(noDatabaseIn(config));
    return 1;
  }
  const unlock = await explained(`The data folder ${config.dataDir} cannot be used`, () =>
    lockDataFolder(config.dataDir),
  );
  const target = await explained('PostgreSQL cannot be reached', () =>
    openDb({ url: config.databaseUrl!, poolSize: 1 }),
  );
  try {
    await explained('The PostgreSQL database cannot be migrated', () => migrate(target.db));
    if (await hasUsers(target.db)) {
      print('The PostgreSQL database already has users. Nothing was copied: use an empty database.');
      return 1;
    }
    await explained(`${file} cannot be read`, () => addUp(file));
    const source = new Database(file, { strict: true });
    for (const { at } of source.query<{ at: number }, []>(monthsLogged).all())
      await createMonthPartitions(target.db, at);
    let rows = 0;
    const note = (table: string, copied: number) => {
      rows += copied;
      if (copied > 0) print(`  ${table}: ${copied}`);
    };
    if (config.s3) {
      const copied = await explained('The files cannot be copied to the bucket', () =>
        copyFiles(join(config.dataDir, 'blobs'), config.s3!),
      );
      print(`${copied} files were copied to the bucket.`);
    }
    await explained('Nothing was copied', () => target.db.transaction().execute((tx) => copyTables(source, tx, note)));
    source.close();
    await sql`analyze`.execute(target.db);
    print(`${rows} rows were copied to PostgreSQL, and the totals match. The SQLite file was kept.`);
    if (!config.encryptionKey)
      print(`When running outside ${config.dataDir}, set ENCRYPTION_KEY to the content of its encryption.key.`);
    return 0;
  } finally {
    await target.close();
    unlock();
  }
}

const hasUsers = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;

/** Applies the sums that SQLite keeps asynchronously and PostgreSQL at once. */
async function addUp(file: string): Promise<void> {
  const { db, close } = await openDb({ path: file });
  try {
    await migrate(db);
    await fileAll(db);
    await fileSpans(db);
  } finally {
    await close();
  }
}

const monthsLogged = `select unixepoch(month) as at from
  (select distinct strftime('%Y-%m-01', created_at, 'unixepoch') as month from usage_logs)`;

async function copyFiles(folder: string, bucket: S3Config): Promise<number> {
  const data = join(folder, 'data');
  if (!existsSync(data)) return 0;
  const [from, to] = [await diskBlobs(folder), s3Blobs(bucket)];
  const entries = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { parentPath, name } of entries) {
    const key = join(parentPath, name).slice(data.length + 1);
    const found = await from.stat(key);
    const { size } = await to.put(key, (await from.read(key))!, found!.contentType);
    if (size !== found!.size) throw new Error(`${key} is ${found!.size} bytes on disk and ${size} in the bucket`);
  }
  return entries.length;
}

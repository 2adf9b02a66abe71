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
import { StartFault } from '../platform/start-fault.ts';
import type { CommandCall } from './command.ts';

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
    print(`There is no database in ${config.dataDir}. Check DATA_DIR.`);
    return 1;
  }
  const unlock = lockDataFolder(config.dataDir);
  const target = await openDb({ url: config.databaseUrl, poolSize: 1 }).catch((error: Error) => {
    throw new StartFault(`PostgreSQL cannot be reached: ${error.message}`);
  });
  try {
    await migrate(target.db);
    if (await hasUsers(target.db)) {
      print('The PostgreSQL database already has users. Nothing was copied: use an empty database.');
      return 1;
    }
    await addUp(file);
    const source = new Database(file, { strict: true });
    for (const { at } of source.query<{ at: number }, []>(monthsLogged).all())
      await createMonthPartitions(target.db, at);
    let rows = 0;
    const note = (table: string, copied: number) => {
      rows += copied;
      if (copied > 0) print(`  ${table}: ${copied}`);
    };
    if (config.s3)
      print(`${await copyFiles(join(config.dataDir, 'blobs'), config.s3)} files were copied to the bucket.`);
    await target.db
      .transaction()
      .execute((tx) => copyTables(source, tx, note))
      .catch((error: Error) => {
        throw new StartFault(`Nothing was copied: ${error.message}`);
      });
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

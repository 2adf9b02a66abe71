import { Database } from 'bun:sqlite';
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { keyFiles } from '../platform/encryption-key.ts';
import { lockDataFolder } from '../platform/owner-lock.ts';
import { restrictPermissions } from '../platform/restrict-permissions.ts';
import { explained } from '../platform/start-fault.ts';
import type { CommandCall } from './command.ts';

/** A backup has no write-ahead log, but a copy of the folder of a killed service has its last writes in one. */
const parts = ['svc.db', 'svc.db-wal', 'blobs', ...keyFiles];

/** Refuses while the service runs, and does not overwrite a database unless told to. */
export async function restore({ config, args, flags, print }: CommandCall): Promise<number> {
  const folder = args[0]!;
  if (config.databaseUrl) {
    print(
      'DATABASE_URL is set, so the service would not use what is restored to DATA_DIR. Restore PostgreSQL with pg_restore or psql; unset DATABASE_URL to restore a backup of SQLite.',
    );
    return 1;
  }
  if (!existsSync(join(folder, 'svc.db'))) {
    print(`There is no backup in ${folder}. Create one with svc backup.`);
    return 1;
  }
  const damaged = checkDatabase(join(folder, 'svc.db'));
  if (damaged) {
    print(`The backup is damaged: ${damaged}`);
    return 1;
  }
  const unlock = await explained(`The data folder ${config.dataDir} cannot be used`, () => {
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
    return lockDataFolder(config.dataDir);
  });
  try {
    if (existsSync(join(config.dataDir, 'svc.db')) && !flags.has('--force')) {
      print(`${config.dataDir} already contains a database. Add --force to replace it.`);
      return 1;
    }
    await explained('The backup cannot be restored', () => putInto(config.dataDir, folder));
    restrictPermissions(config.dataDir);
  } finally {
    unlock();
  }
  print(`The backup was restored to ${config.dataDir}. Start the service.`);
  return 0;
}

/**
 * Copied aside first, so that a full disk leaves the old data in place. A key missing from the backup may be the only
 * copy.
 */
function putInto(dataDir: string, folder: string): void {
  const aside = join(dataDir, 'restoring');
  rmSync(aside, { recursive: true, force: true });
  try {
    for (const name of parts.filter((part) => existsSync(join(folder, part))))
      cpSync(join(folder, name), join(aside, name), { recursive: true, mode: 0 });
    // A leftover write-ahead log would be applied to the restored file.
    for (const name of ['svc.db', 'svc.db-wal', 'svc.db-shm', 'blobs'])
      rmSync(join(dataDir, name), { recursive: true, force: true });
    // The database comes last: without it nothing starts, so that a restore that is killed is noticed and repeated.
    for (const name of parts.toReversed().filter((part) => existsSync(join(aside, part))))
      renameSync(join(aside, name), join(dataDir, name));
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

function checkDatabase(file: string): string | null {
  try {
    const database = new Database(file, { readonly: true });
    const row = database.query('pragma integrity_check').get() as { integrity_check: string };
    database.close();
    return row.integrity_check === 'ok' ? null : row.integrity_check;
  } catch (error) {
    return String(error);
  }
}

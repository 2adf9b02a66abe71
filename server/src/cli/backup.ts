import { Database } from 'bun:sqlite';
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { blobParts } from '../platform/blobs/disk.ts';
import { keyFiles } from '../platform/encryption-key.ts';
import { restrictPermissions } from '../platform/restrict-permissions.ts';
import { explained } from '../platform/start-fault.ts';
import { type CommandCall, noDatabaseIn } from './command.ts';

/** Backs up database, files and key into a new or empty folder. */
export async function backup({ config, args, print }: CommandCall): Promise<number> {
  const folder = args[0]!;
  if (config.databaseUrl) {
    print('The database is PostgreSQL: back it up with pg_dump, and DATA_DIR (files and key) with your usual tools.');
    return 1;
  }
  if (!existsSync(join(config.dataDir, 'svc.db'))) {
    print(noDatabaseIn(config));
    return 1;
  }
  const existed = existsSync(folder);
  const isOurs = await explained(`${folder} cannot be used`, () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return claim(folder);
  });
  if (!isOurs) {
    print(`${folder} is not empty. Choose another folder.`);
    return 1;
  }
  await explained('The backup failed, and nothing of it was kept', () => {
    try {
      writeBackup(config, folder);
    } catch (error) {
      const written = existed ? readdirSync(folder).map((name) => join(folder, name)) : [folder];
      for (const path of written) rmSync(path, { recursive: true, force: true });
      throw error;
    }
  });
  print(`The backup is in ${folder}.${whatIsNotInIt(config)}`);
  return 0;
}

const incomplete = 'svc.db.incomplete';

/**
 * False if the folder contains anything. Exclusive: of two backups to one folder, the later one would overwrite the
 * earlier one, or clean it up with its own failure after it was reported to be made.
 */
function claim(folder: string): boolean {
  if (readdirSync(folder).length > 0) return false;
  try {
    writeFileSync(join(folder, incomplete), '', { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  if (readdirSync(folder).length === 1) return true;
  rmSync(join(folder, incomplete));
  return false;
}

/**
 * VACUUM INTO copies one consistent snapshot while the service goes on writing. Files are copied after the database, so
 * that every file the rows refer to is included. The database gets its name last: without it, what a killed backup
 * leaves is not taken for a whole one.
 */
function writeBackup({ dataDir, encryptionKey }: CommandCall['config'], folder: string): void {
  const database = new Database(join(dataDir, 'svc.db'), { readonly: true });
  const copy = join(folder, incomplete);
  try {
    database.run('pragma busy_timeout = 10000');
    database.query('vacuum into ?').run(copy);
  } finally {
    database.close();
  }
  for (const part of blobParts) copyTree(join(dataDir, 'blobs', part), join(folder, 'blobs', part));
  const keys = encryptionKey ? [] : keyFiles.filter((name) => existsSync(join(dataDir, name)));
  for (const name of keys) copyFileSync(join(dataDir, name), join(folder, name));
  writeFileSync(join(folder, 'backup.json'), JSON.stringify({ made_at: new Date().toISOString() }));
  renameSync(copy, join(folder, 'svc.db'));
  // Copies inherit the modes of their originals.
  restrictPermissions(folder);
}

/** Files may be deleted while they are listed and copied: nothing refers to them any more. */
function copyTree(from: string, to: string): void {
  for (const entry of unlessGone(() => readdirSync(from, { withFileTypes: true })) ?? []) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyTree(source, target);
    else {
      mkdirSync(to, { recursive: true });
      unlessGone(() => copyFileSync(source, target));
    }
  }
}

function unlessGone<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** An incomplete backup must say so now, not when it is needed. */
function whatIsNotInIt({ encryptionKey, s3 }: CommandCall['config']): string {
  const key = encryptionKey
    ? ' It does not include ENCRYPTION_KEY: store that separately.'
    : ' It contains the encryption key: protect it like the service itself.';
  return `${key}${s3 ? ` It does not include the files in the bucket ${s3.bucket}.` : ''}`;
}

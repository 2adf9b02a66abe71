import { Database } from 'bun:sqlite';
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyFiles } from '../platform/encryption-key.ts';
import { restrictPermissions } from '../platform/restrict-permissions.ts';
import type { CommandCall } from './command.ts';

/**
 * VACUUM INTO copies one consistent snapshot while the service goes on writing. Files are copied after the database, so
 * that every file the rows refer to is included.
 */
export async function backup({ config, args, print }: CommandCall): Promise<number> {
  const folder = args[0]!;
  if (config.databaseUrl) {
    print('The database is PostgreSQL: back it up with pg_dump, and DATA_DIR (files and key) with your usual tools.');
    return 1;
  }
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    print(`${folder} is not empty. Choose another folder.`);
    return 1;
  }
  const source = join(config.dataDir, 'svc.db');
  if (!existsSync(source)) {
    print(`There is no database in ${config.dataDir}. Check DATA_DIR.`);
    return 1;
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const database = new Database(source, { readonly: true });
  database.run('pragma busy_timeout = 10000');
  database.query('vacuum into ?').run(join(folder, 'svc.db'));
  database.close();
  const blobs = join(config.dataDir, 'blobs');
  if (existsSync(blobs)) cpSync(blobs, join(folder, 'blobs'), { recursive: true });
  const keys = config.encryptionKey ? [] : keyFiles.filter((name) => existsSync(join(config.dataDir, name)));
  for (const name of keys) copyFileSync(join(config.dataDir, name), join(folder, name));
  writeFileSync(join(folder, 'backup.json'), JSON.stringify({ made_at: new Date().toISOString() }));
  // Copies inherit the modes of their originals.
  restrictPermissions(folder);
  print(`The backup is in ${folder}.${whatIsNotInIt(config)}`);
  return 0;
}

/** An incomplete backup must say so now, not when it is needed. */
function whatIsNotInIt({ encryptionKey, s3 }: CommandCall['config']): string {
  const key = encryptionKey
    ? ' It does not include ENCRYPTION_KEY: store that separately.'
    : ' It contains the encryption key: protect it like the service itself.';
  return `${key}${s3 ? ` It does not include the files in the bucket ${s3.bucket}.` : ''}`;
}

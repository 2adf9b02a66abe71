import { Database } from 'bun:sqlite';
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { lockDataFolder } from '../platform/owner-lock.ts';
import { StartFault } from '../platform/start-fault.ts';
import type { CommandCall } from './command.ts';

/**
 * Gives the disk what deleted rows occupied; until then SQLite uses it for new rows. Not while the service runs: it
 * would wait for as long as the file is copied.
 */
export async function compact({ config: { databaseUrl, dataDir }, print }: CommandCall): Promise<number> {
  if (databaseUrl) {
    print('PostgreSQL reuses the room of deleted rows by itself; VACUUM FULL there gives it to the disk.');
    return 0;
  }
  const file = join(dataDir, 'svc.db');
  const unlock = lockDataFolder(dataDir);
  try {
    const before = statSync(file).size;
    rewrite(file);
    print(`${file} had ${mebibytes(before)}, and now has ${mebibytes(statSync(file).size)}.`);
    return 0;
  } finally {
    unlock();
  }
}

const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

/** A whole copy takes the name of the file, so that a crash leaves one or the other. */
function rewrite(file: string): void {
  const copy = `${file}.compact`;
  rmSync(copy, { force: true });
  const database = new Database(file, { create: false, readwrite: true });
  try {
    // With what a killed service left in its log, which must not outlive the file it belongs to.
    database.run('pragma wal_checkpoint(truncate)');
    database.query('vacuum into ?').run(copy);
  } finally {
    database.close();
  }
  if (existsSync(`${file}-wal`)) throw new StartFault(`Another program has ${file} open. Stop it first.`);
  const written = openSync(copy, 'r');
  fsyncSync(written);
  closeSync(written);
  renameSync(copy, file);
}

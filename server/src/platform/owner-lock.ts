import { Database } from 'bun:sqlite';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isBusy } from './durable/errors.ts';
import { StartFault } from './start-fault.ts';

/**
 * One process per data folder. The lock is an open write transaction on a small SQLite file: the operating system
 * releases it however the process ends, so a crash leaves no lock behind.
 */
export function lockDataFolder(folder: string): () => void {
  const note = join(folder, 'owner.json');
  const lock = new Database(join(folder, 'owner.lock'), { create: true });
  try {
    lock.run('pragma busy_timeout = 0');
    lock.run('begin exclusive');
  } catch (error) {
    lock.close();
    // A full or broken disk is not another owner.
    if (!isBusy(error)) throw error;
    throw new StartFault(
      `Another process${ownerName(note)} already uses the data folder ${folder}. Stop it first, or set DATA_DIR to another folder.`,
    );
  }
  writeFileSync(note, JSON.stringify({ pid: process.pid, since: new Date().toISOString() }));
  return () => lock.close();
}

function ownerName(note: string): string {
  try {
    const { pid, since } = JSON.parse(readFileSync(note, 'utf8')) as { pid: number; since: string };
    return ` (pid ${pid}, since ${since})`;
  } catch {
    return '';
  }
}

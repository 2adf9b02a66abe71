import { backup } from './backup.ts';
import { checkDatabase } from './check-database.ts';
import type { Command } from './command.ts';
import { createAdmin } from './create-admin.ts';
import { doctor } from './doctor.ts';
import { health } from './health.ts';
import { migrateDatabase } from './migrate.ts';
import { removeFactors } from './remove-factors.ts';
import { restore } from './restore.ts';
import { rotateEncryptionKey } from './rotate-encryption-key.ts';

/** What the executable does besides serving. */
export const commands: Record<string, Command> = {
  migrate: {
    help: '[--new]: bring the database up to date and end; with --new also where one was lost',
    run: migrateDatabase,
  },
  'create-admin': {
    help: '<username> [--root]: make an administrator, or make a user one and reset the password',
    run: createAdmin,
  },
  'remove-factors': {
    help: '<username>: remove the second factors of a user who lost them, root included',
    run: removeFactors,
  },
  'rotate-encryption-key': { help: 'seal all stored credentials with a new key', run: rotateEncryptionKey },
  backup: { help: '<folder>: copy database, files and key while the service runs (SQLite)', run: backup },
  restore: { help: '<folder> [--force]: put a backup into DATA_DIR', run: restore },
  health: { help: 'ask the running service whether it is ready; for health checks', run: health },
  'check-database': { help: 'look for damage in the SQLite file; may run beside the service', run: checkDatabase },
  doctor: { help: 'check configuration, database, Redis, files and key, and say what to do', run: doctor },
};

export function usage(): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length)) + 2;
  const lines = Object.entries(commands).map(([name, { help }]) => `  ${name.padEnd(width)}${help}`);
  return ['Usage: svc [command]', '', `  ${'serve'.padEnd(width)}serve (the default)`, ...lines].join('\n');
}

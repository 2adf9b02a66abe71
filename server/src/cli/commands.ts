import { table } from '../lib/table.ts';
import { backup } from './backup.ts';
import { checkDatabase } from './check-database.ts';
import type { Command } from './command.ts';
import { compact } from './compact.ts';
import { copyToPostgres } from './copy-to-postgres.ts';
import { createAdmin } from './create-admin.ts';
import { doctor } from './doctor.ts';
import { health } from './health.ts';
import { importFrom } from './import.ts';
import { migrateDatabase } from './migrate.ts';
import { removeFactors } from './remove-factors.ts';
import { restore } from './restore.ts';
import { rotateEncryptionKey } from './rotate-encryption-key.ts';

/** The executable's commands besides serving. */
export const commands = table<Command>({
  migrate: {
    takes: '[--new]',
    help: 'migrate the database and exit; with --new, also create one if the previous one was lost',
    run: migrateDatabase,
  },
  'create-admin': {
    takes: '<username> [--root]',
    help: 'create an administrator, or make a user one and reset the password',
    run: createAdmin,
  },
  'remove-factors': {
    takes: '<username>',
    help: 'remove the second factors of a user who has lost them, including root',
    needsDatabase: true,
    run: removeFactors,
  },
  'rotate-encryption-key': {
    takes: '[--lost]',
    help: 'encrypt all stored credentials with a new key; with --lost, go on without the old one',
    needsDatabase: true,
    run: rotateEncryptionKey,
  },
  backup: {
    takes: '<folder>',
    help: 'back up database, files and key while the service runs (SQLite)',
    run: backup,
  },
  restore: { takes: '<folder> [--force]', help: 'restore a backup into DATA_DIR', run: restore },
  'copy-to-postgres': {
    takes: '',
    help: 'copy the SQLite database of DATA_DIR to DATABASE_URL, and files to S3 if configured',
    run: copyToPostgres,
  },
  import: {
    takes: '<litellm|new-api> <source> [--yes]',
    help: "show what would be imported from LiteLLM's config.yaml or a new-api database; with --yes, import it",
    run: importFrom,
  },
  health: { takes: '', help: 'check whether the running service is ready; for health checks', run: health },
  'check-database': {
    takes: '',
    help: 'check the SQLite file for damage; can run while the service runs',
    run: checkDatabase,
  },
  compact: {
    takes: '',
    help: 'shrink the SQLite file after large deletions; the service must be stopped',
    needsDatabase: true,
    run: compact,
  },
  doctor: {
    takes: '',
    help: 'check configuration, database, Redis, mail, files and key, and suggest fixes',
    run: doctor,
  },
});

/**
 * Null if an argument is missing, empty (a variable of a script that is not set) or unknown: a typing error must not
 * change the meaning of a command.
 */
export function readArguments(takes: string, given: string[]): { args: string[]; flags: Set<string> } | null {
  const known = takes.split(' ');
  const flags = given.filter((word) => word.startsWith('-'));
  const args = given.filter((word) => !word.startsWith('-'));
  const wanted = known.filter((word) => word.startsWith('<')).length;
  if (args.length !== wanted || args.includes('') || !flags.every((flag) => known.includes(`[${flag}]`))) return null;
  return { args, flags: new Set(flags) };
}

export const usageOf = (name: string): string => `Usage: svc ${`${name} ${commands[name]?.takes ?? ''}`.trim()}`;

export function usage(): string {
  const all = { serve: { takes: '', help: 'start the service (default)' }, ...commands };
  const lines = Object.entries(all).map(([name, { takes, help }]) => [`${name} ${takes}`.trim(), help] as const);
  const width = Math.max(...lines.map(([call]) => call.length)) + 2;
  return ['Usage: svc [command]', '', ...lines.map(([call, help]) => `  ${call.padEnd(width)}${help}`)].join('\n');
}

import { type CommandCall, withPlatform } from './command.ts';

/** Opening the platform migrates; what is left is to say so. */
export async function migrateDatabase({ config, args, print }: CommandCall): Promise<number> {
  const [flag] = args;
  if (flag && flag !== '--new') {
    print('Usage: svc migrate [--new]');
    return 1;
  }
  await withPlatform({ ...config, newDatabase: flag === '--new' }, async ({ database }) => {
    print(`The ${database.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'} database is up to date.`);
  });
  return 0;
}

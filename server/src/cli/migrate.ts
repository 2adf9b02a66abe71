import { type CommandCall, withPlatform } from './command.ts';

/** Opening the platform migrates; this only reports it. */
export async function migrateDatabase({ config, flags, print }: CommandCall): Promise<number> {
  await withPlatform({ ...config, newDatabase: flags.has('--new') }, async ({ database }) => {
    print(`The ${database.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'} database is up to date.`);
  });
  return 0;
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { type Announcements, openAnnouncements } from '../identity/announcements.ts';
import type { Clock } from '../lib/clock.ts';
import type { Db } from '../platform/db/tables.ts';
import { openLog } from '../platform/log.ts';
import { missingDatabase } from '../platform/missing-database.ts';
import { openPlatform, type Platform } from '../platform/open.ts';

export interface CommandCall {
  config: Config;
  args: string[];
  flags: ReadonlySet<string>;
  /** For files that refer to environment variables by name. */
  env: Readonly<Record<string, string | undefined>>;
  print(line: string): void;
}

export interface Command {
  /** Arguments as shown in the usage, `<folder> [--force]`. Anything else is refused. */
  takes: string;
  help: string;
  /** What it changes must exist: with a mistyped DATA_DIR it would make a new database, and report success. */
  needsDatabase?: true;
  /** Returns the exit code. */
  run(call: CommandCall): Promise<number>;
}

export const noDatabaseIn = ({ dataDir }: Config): string => `There is no database in ${dataDir}. Check DATA_DIR.`;

/** One that was lost is reported with the way back when it is opened. */
export const lacksDatabase = ({ databaseUrl, dataDir }: Config): boolean =>
  !databaseUrl && !existsSync(join(dataDir, 'svc.db')) && missingDatabase(dataDir) === null;

/** Opens the platform for one command; on SQLite the service must be stopped. */
export async function withPlatform<T>(
  config: Config & { newDatabase?: boolean },
  work: (platform: Platform) => Promise<T>,
): Promise<T> {
  const platform = await openPlatform(config, openLog('warn'));
  try {
    return await work(platform);
  } finally {
    await platform.close();
  }
}

/** For changes to accounts: on PostgreSQL the service may be running, and its processes forget what they have cached. */
export const withAnnouncements = <T>(
  config: Config,
  work: (deps: { db: Db; clock: Clock; announcements: Announcements }) => Promise<T>,
): Promise<T> =>
  withPlatform(config, async ({ database, clock, shared, cacheSync }) => {
    const announcements = await openAnnouncements(shared, cacheSync);
    try {
      return await work({ db: database.db, clock, announcements });
    } finally {
      await announcements.close();
    }
  });

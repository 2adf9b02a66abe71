import { accessSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { SealingKey } from '../lib/seal.ts';
import { openBlobs } from './blobs/open.ts';
import type { Blobs } from './blobs/port.ts';
import type { S3Config } from './blobs/s3.ts';
import { openDatabaseClock } from './db/database-clock.ts';
import { migrate } from './db/migrate.ts';
import { type OpenDb, openDb } from './db/open.ts';
import { wordsForPostgres } from './db/postgres-fault.ts';
import { JobStore } from './durable/job-store.ts';
import type { Jobs } from './durable/jobs.ts';
import { type Owners, openOwners } from './durable/owners.ts';
import { openQueue } from './durable/queue.ts';
import type { Log } from './log.ts';
import { Metrics } from './metrics.ts';
import { missingDatabase } from './missing-database.ts';
import { lockDataFolder } from './owner-lock.ts';
import { type RestrictedFolder, restrictPermissions } from './restrict-permissions.ts';
import { openSealingKeys } from './sealing-keys.ts';
import { type CacheSync, isDisconnected, openCacheSync } from './shared/cache-sync.ts';
import { openShared } from './shared/open.ts';
import type { Shared } from './shared/port.ts';
import { explained } from './start-fault.ts';

export interface PlatformConfig {
  dataDir: string;
  databaseUrl?: string;
  databasePool: number;
  redisUrl?: string;
  redisPrefix: string;
  s3?: S3Config;
  encryptionKey?: string;
  encryptionKeyOld?: string;
  /** Create a new SQLite file even if other files indicate that one was lost. */
  newDatabase?: boolean;
  /** Go on without the keys that stored secrets were sealed with. */
  withoutLostKeys?: boolean;
}

/** Everything below the feature rooms, opened and ready. */
export interface Platform {
  clock: Clock;
  log: Log;
  metrics: Metrics;
  database: OpenDb;
  owners: Owners;
  shared: Shared;
  cacheSync: CacheSync;
  jobs: Jobs;
  blobs: Blobs;
  /** The first seals, all can open. */
  sealingKeys: SealingKey[];
  close(): Promise<void>;
}

/** If a step fails, what was opened before is closed again. `given` replaces the clock in tests. */
export async function openPlatform(config: PlatformConfig, log: Log, given?: Clock): Promise<Platform> {
  const closers: (() => void | Promise<void>)[] = [];
  const closeAll = async () => {
    for (const close of closers.reverse()) await close();
  };
  const step = async <T>(what: string, open: () => T | Promise<T>): Promise<T> => {
    try {
      return await explained(what, open);
    } catch (fault) {
      await closeAll().catch(() => {});
      throw fault;
    }
  };

  await step(`The data folder ${config.dataDir} cannot be used`, () => {
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
    accessSync(config.dataDir, constants.W_OK);
    tellClosed(restrictPermissions(config.dataDir), config.dataDir, log);
    if (!config.databaseUrl) closers.push(lockDataFolder(config.dataDir));
  });
  const database = await step('The database cannot be reached', () => {
    if (!config.databaseUrl && !config.newDatabase) refuseLost(config.dataDir);
    return openDb(
      config.databaseUrl
        ? { url: config.databaseUrl, poolSize: config.databasePool }
        : { path: join(config.dataDir, 'svc.db') },
    );
  });
  closers.push(() => database.close());
  await step('The database cannot be migrated', () => migrate(database.db).catch(worded(config.databaseUrl)));
  // After the database: an existing key indicates that there was one.
  const sealingKeys = await step('The encryption key cannot be read', () => openSealingKeys(database.db, config));
  const clock =
    given ?? (await step('The time cannot be read from the database', () => clockOf(database, log, closers)));
  const shared = await step('Redis cannot be used', () =>
    openShared({ redisUrl: config.redisUrl, prefix: config.redisPrefix }, clock, log),
  );
  closers.push(() => shared.close());
  const hears = { shared, soleWriter: database.engine === 'sqlite' };
  const owners = await step('The database cannot be written', () =>
    openOwners({ db: database.db, log, isMute: () => isDisconnected(hears) }),
  );
  closers.push(() => owners.leave());
  const cacheSync = openCacheSync(hears, owners);
  const jobs = openQueue({ store: new JobStore(database.db, clock), owners, log });
  const blobs = await step('The blob store cannot be opened', () =>
    openBlobs({ folder: join(config.dataDir, 'blobs'), s3: config.s3 }),
  );
  const metrics = new Metrics();
  return {
    clock,
    log,
    metrics,
    database,
    owners,
    shared,
    cacheSync,
    jobs,
    blobs,
    sealingKeys,
    close: closeAll,
  };
}

/** A standby, or a user without rights, is found out with the first change. */
const worded = (url: string | undefined) => async (error: unknown) => {
  throw url && error instanceof Error && 'errno' in error
    ? new Error(await wordsForPostgres(error, url), { cause: error })
    : error;
};

/** Processes that share a database use its time. */
async function clockOf({ db, engine }: OpenDb, log: Log, closers: (() => void)[]): Promise<Clock> {
  if (engine === 'sqlite') return systemClock;
  const clock = await openDatabaseClock({ db, clock: systemClock, log });
  closers.push(() => clock.close());
  return clock;
}

function refuseLost(folder: string): void {
  const lost = missingDatabase(folder);
  if (lost) throw new Error(lost);
}

function tellClosed({ closed, open, foreign }: RestrictedFolder, folder: string, log: Log): void {
  if (closed > 0)
    log.warn(
      { folder, files: closed },
      'the data folder was readable by other users; access is now restricted to its owner',
    );
  if (open.length > 0)
    log.warn({ files: open.slice(0, 10) }, 'other users can read these files, and their modes cannot be changed');
  if (foreign.length > 0)
    log.warn(
      { folder, beside: foreign.slice(0, 10) },
      'the data folder contains other files too, so its mode is left unchanged',
    );
}

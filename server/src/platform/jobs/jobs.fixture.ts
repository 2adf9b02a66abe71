import { systemClock } from '../../lib/clock.ts';
import { migrate } from '../db/migrate.ts';
import { migration } from '../db/migrations/0002-jobs.ts';
import { type OpenDb, openDb } from '../db/open.ts';
import { openJobs } from './open.ts';
import type { Jobs } from './port.ts';

export interface JobsPlace {
  url?: string;
  path?: string;
}

/** One process's view of the jobs of a database. */
export async function openTestJobs(place: JobsPlace): Promise<{ jobs: Jobs; close(): Promise<void> }> {
  const { db, sql, close } = place.path ? await onlyOne(place.path) : await migrated(place);
  const log = { warn: () => {}, error: (details: object, message: string) => console.error(message, details) };
  const jobs = await openJobs({ db, sql, clock: systemClock, log: { ...log, error: quietly(log.error) } });
  return { jobs, close };
}

async function migrated(place: JobsPlace): Promise<OpenDb> {
  const open = await openDb({ ...place, poolSize: 3 });
  await migrate(open.db, [migration]);
  return open;
}

/** A SQLite file has one owner in a process: two would block the thread that each waits for the other on. */
const owners = new Map<string, Promise<OpenDb>>();
async function onlyOne(path: string): Promise<OpenDb> {
  const owner = owners.get(path) ?? migrated({ path });
  owners.set(path, owner);
  return { ...(await owner), close: async () => {} };
}

/** Jobs given up are expected in these tests; anything else that goes wrong is not. */
const quietly =
  (error: (details: object, message: string) => void) =>
  (details: object, message: string): void => {
    if (message !== 'job failed') error(details, message);
  };

// Run as a program: takes jobs of the queue `takeover`, says so, and never finishes one.
if (import.meta.main) {
  const { jobs } = await openTestJobs(JSON.parse(process.argv[2]!));
  jobs.work('takeover', { concurrency: 1, leaseMs: 900 }, async (job) => {
    console.log(`took ${job.id}`);
    await new Promise(() => {});
  });
  await jobs.start();
}

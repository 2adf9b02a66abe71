import { manualClock, systemClock } from '../../lib/clock.ts';
import { migrate } from '../db/migrate.ts';
import { openDb } from '../db/open.ts';
import { JobStore } from './job-store.ts';
import type { Jobs } from './jobs.ts';
import { beatMs, type Owners, openOwners } from './owners.ts';
import { openQueue } from './queue.ts';

export interface JobsPlace {
  url?: string;
  path?: string;
}

export interface TestJobs {
  jobs: Jobs;
  owners: Owners;
  /** Time passes for the liveness of processes, which otherwise stands still: one beat, one look. */
  beat(): Promise<void>;
  close(): Promise<void>;
}

/** One process's view of the jobs of a database. */
export async function openTestJobs(place: JobsPlace): Promise<TestJobs> {
  const { db, owners, clock, close } = await (place.path ? onlyOne(place.path) : join(place));
  const jobs = openQueue({ store: new JobStore(db, systemClock), owners, log });
  const beat = async () => {
    clock.advance(beatMs);
    await owners.look();
  };
  return { jobs, owners, beat, close };
}

const log = {
  warn: () => {},
  // Jobs given up are expected in these tests; anything else that goes wrong is not.
  error: (details: object, message?: string) => {
    if (message !== 'job failed') console.error(message, details);
  },
};

async function join(place: JobsPlace) {
  const { db, close } = await openDb({ ...place, poolSize: 3 });
  await migrate(db);
  const clock = manualClock();
  const owners = await openOwners({ db, log, clock });
  const leave = async () => {
    await owners.leave();
    await close();
  };
  return { db, owners, clock, close: leave };
}

/** A SQLite file has one owner in a process: two would block the thread that each waits for the other on. */
const files = new Map<string, ReturnType<typeof join>>();
async function onlyOne(path: string) {
  const file = files.get(path) ?? join({ path });
  files.set(path, file);
  return { ...(await file), close: async () => {} };
}

// Run as a program: takes jobs of the queue `takeover`, says so and with each beat that it lives, and never finishes one.
if (import.meta.main) {
  const { jobs, beat } = await openTestJobs(JSON.parse(process.argv[2]!));
  let took = false;
  jobs.work('takeover', { concurrency: 1 }, async (job) => {
    console.log(`took ${job.id}`);
    took = true;
    await new Promise(() => {});
  });
  await jobs.start();
  for (;;) {
    await Bun.sleep(10);
    await beat();
    if (took) console.log('beat');
  }
}

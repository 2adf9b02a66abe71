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
  /** Advances the otherwise frozen time of the heartbeats: one beat, one look. */
  beat(): Promise<void>;
  close(): Promise<void>;
}

/** One process's view of the jobs in a database. */
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
  // Failed jobs are expected in these tests; any other error is not.
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

/** One connection per SQLite file and process: two would block the thread while each waits for the other. */
const files = new Map<string, ReturnType<typeof join>>();
async function onlyOne(path: string) {
  const file = files.get(path) ?? join({ path });
  files.set(path, file);
  return { ...(await file), close: async () => {} };
}

// Run as a program: takes jobs of the queue `takeover`, reports that and every heartbeat, and never finishes a job.
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

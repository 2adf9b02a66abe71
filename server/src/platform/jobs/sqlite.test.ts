import { expect, test } from 'bun:test';
import { manualClock, systemClock } from '../../lib/clock.ts';
import { migrate } from '../db/migrate.ts';
import { migration } from '../db/migrations/0002-jobs.ts';
import { openDb } from '../db/open.ts';
import { runJobs } from './runner.ts';
import { SqliteJobStore } from './sqlite.ts';
import type { JobStore, NewJob } from './store.ts';

const job: NewJob = { queue: 'q', data: { a: 1 }, delayMs: 0, key: null, maxAttempts: 2, backoffMs: 10 };
const quiet = { warn: () => {}, error: () => {} };

/** The same store with some of its answers replaced. */
const changed = (store: JobStore, answers: Partial<JobStore>): JobStore => Object.assign(Object.create(store), answers);

async function emptyDb() {
  const { db, close } = await openDb({ path: ':memory:' });
  await migrate(db, [migration]);
  return { db, close };
}

test('a claim whose lease ran out can write nothing, and the last attempt ends a job', async () => {
  const { db, close } = await emptyDb();
  const clock = manualClock();
  const store = new SqliteJobStore(db, clock);
  await store.add(job);
  const [first] = await store.claim('q', 5, 1_000);
  expect(await store.claim('q', 5, 1_000)).toEqual([]);
  expect(await store.due()).toEqual([]);
  clock.advance(1_000);
  expect(await store.due()).toEqual(['q']);
  const [second] = await store.claim('q', 5, 1_000);
  expect(second!.attempt).toBe(2);
  expect(await store.extend(first!, 1_000)).toBe(false);
  await store.finish(first!);
  await store.again(first!, 0);
  expect(await store.depth()).toEqual({ q: 1 });
  clock.advance(1_000);
  await store.due();
  expect(await store.depth()).toEqual({});
  expect(await store.claim('q', 5, 1_000)).toEqual([]);
  await close();
});

test('dead jobs are kept for their time, then swept', async () => {
  const { db, close } = await emptyDb();
  const clock = manualClock();
  const store = new SqliteJobStore(db, clock);
  await store.add(job);
  const [claim] = await store.claim('q', 1, 1_000);
  await store.fail(claim!, 'broken', null);
  const kept = () => db.selectFrom('jobs').select(['state', 'error']).execute();
  clock.advance(6_999);
  await store.sweep(7_000);
  expect(await kept()).toEqual([{ state: 'dead', error: 'broken' }]);
  clock.advance(1);
  await store.sweep(7_000);
  expect(await kept()).toEqual([]);
  await close();
});

test('a burst of jobs does not leave the idle loop asking more often', async () => {
  const { db, close } = await emptyDb();
  const store = new SqliteJobStore(db, systemClock);
  let asked = 0;
  const counting = changed(store, {
    due: () => {
      asked += 1;
      return store.due();
    },
  });
  const jobs = runJobs(counting, quiet);
  jobs.work('q', { concurrency: 1, leaseMs: 5_000 }, async () => {});
  await jobs.start();
  for (let i = 0; i < 20; i++) {
    await jobs.enqueue('q', i);
    await Bun.sleep(12);
  }
  asked = 0;
  await Bun.sleep(2_300);
  expect(asked).toBeLessThanOrEqual(3);
  await jobs.stop(0);
  await close();
});

test('a store that fails for a while is asked again', async () => {
  const { db, close } = await emptyDb();
  const store = new SqliteJobStore(db, systemClock);
  let broken = true;
  const jobs = runJobs(
    changed(store, { due: () => (broken ? Promise.reject(new Error('away')) : store.due()) }),
    quiet,
  );
  let ran = false;
  jobs.work('q', { concurrency: 1, leaseMs: 5_000 }, async () => {
    ran = true;
  });
  await jobs.start();
  await jobs.enqueue('q', 1);
  await Bun.sleep(50);
  expect(ran).toBe(false);
  broken = false;
  await Bun.sleep(1_300);
  expect(ran).toBe(true);
  await jobs.stop(0);
  await close();
});

test('an outcome that cannot be written at once is written later, and the job does not run again', async () => {
  const { db, close } = await emptyDb();
  const store = new SqliteJobStore(db, systemClock);
  let refusals = 2;
  const jobs = runJobs(
    changed(store, { finish: (claim) => (refusals-- > 0 ? Promise.reject(new Error('away')) : store.finish(claim)) }),
    quiet,
  );
  let ran = 0;
  jobs.work('q', { concurrency: 1, leaseMs: 600 }, async () => {
    ran += 1;
  });
  await jobs.start();
  await jobs.enqueue('q', 1);
  await Bun.sleep(1_500);
  expect(ran).toBe(1);
  expect(await jobs.depth()).toEqual({});
  await jobs.stop(0);
  await close();
});

test.each([
  ['refuses', () => Promise.reject(new Error('away'))],
  ['never answers', () => new Promise<boolean>(() => {})],
  ['says the job is another’s', () => Promise.resolve(false)],
] as const)('a handler is told to stop when the database %s for a whole lease', async (_, extend) => {
  const { db, close } = await emptyDb();
  const jobs = runJobs(changed(new SqliteJobStore(db, systemClock), { extend }), quiet);
  let aborted = false;
  jobs.work('q', { concurrency: 1, leaseMs: 150 }, async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    aborted = true;
  });
  await jobs.start();
  await jobs.enqueue('q', 1, { maxAttempts: 1 });
  await Bun.sleep(600);
  expect(aborted).toBe(true);
  await jobs.stop(0);
  await close();
});

import { expect, test } from 'bun:test';
import { manualClock, systemClock } from '../../lib/clock.ts';
import { holdTime, pass } from '../../lib/held-time.fixture.ts';
import { openMigrated } from '../db/migrated.fixture.ts';
import { JobStore, type NewJob } from './job-store.ts';
import type { Owners } from './owners.ts';
import { openQueue } from './queue.ts';

holdTime();

const job: NewJob = { queue: 'q', data: { a: 1 }, delayMs: 0, key: null, maxAttempts: 2, backoffMs: 10 };
/** An owner that the test controls. */
function livingOwner(): Owners & { lose(): void } {
  const losers: (() => void)[] = [];
  return {
    id: 'me',
    silent: false,
    onLook: () => {},
    onLost: (lose) => losers.push(lose),
    anyMute: false,
    anyEarlierBuild: false,
    onAllHeard: () => {},
    look: async () => {},
    leave: async () => {},
    lose: () => {
      for (const lose of losers) lose();
    },
  };
}
const alive = livingOwner();
const quiet = { warn: () => {}, error: () => {} };

/** The same store with some methods replaced. */
const changed = (store: JobStore, answers: Partial<JobStore>): JobStore => Object.assign(Object.create(store), answers);

async function emptyDb() {
  const { db, close } = await openMigrated();
  await db.insertInto('owners').values({ id: 'me', beats: 0 }).execute();
  return { db, close };
}

test('writes of a former holder change nothing, and the last attempt ends a job', async () => {
  const { db, close } = await emptyDb();
  const store = new JobStore(db, systemClock);
  await store.add(job);
  const [first] = await store.claim('q', 5, 'other');
  expect(await store.claim('q', 5, 'me')).toEqual([]);
  expect(await store.takeBack()).toBe(1);
  await store.finish(first!);
  await store.again(first!, 0);
  expect(await store.due()).toEqual(['q']);
  const [second] = await store.claim('q', 5, 'me');
  expect(second!.attempt).toBe(2);
  await store.finish(first!);
  await store.again(first!, 0);
  await store.fail(first!, 'late', null);
  await store.giveBack(first!);
  expect(await store.due()).toEqual([]);
  expect(await store.takeBack()).toBe(0);
  expect(await store.depth()).toEqual({ q: 1 });
  await db.deleteFrom('owners').execute();
  expect(await store.takeBack()).toBe(1);
  expect(await store.depth()).toEqual({});
  expect(await store.claim('q', 5, 'me')).toEqual([]);
  await close();
});

test('dead jobs are kept for their retention time, then deleted', async () => {
  const { db, close } = await emptyDb();
  const clock = manualClock();
  const store = new JobStore(db, clock);
  await store.add(job);
  const [claim] = await store.claim('q', 1, 'me');
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

test('a promised job is added when the database is back; any other is refused', async () => {
  const { db, close } = await emptyDb();
  const store = new JobStore(db, systemClock);
  let away = true;
  const add: JobStore['add'] = async (given) => {
    if (away) throw Object.assign(new Error('away'), { code: 'ERR_POSTGRES_CONNECTION_CLOSED' });
    return store.add(given);
  };
  const jobs = openQueue({ store: changed(store, { add }), owners: alive, log: quiet });
  await expect(jobs.enqueue('q', 1)).rejects.toThrow('away');
  expect(await jobs.enqueue('q', 2, { key: 'two', promised: true })).toBeNull();
  await pass(1_000);
  expect(await jobs.depth()).toEqual({});
  away = false;
  await pass(1_000);
  expect(await jobs.depth()).toEqual({ q: 1 });
  await close();
});

test('a burst of jobs does not make the idle loop poll more often', async () => {
  const { db, close } = await emptyDb();
  const store = new JobStore(db, systemClock);
  let asked = 0;
  const counting = changed(store, {
    due: () => {
      asked += 1;
      return store.due();
    },
  });
  const jobs = openQueue({ store: counting, owners: alive, log: quiet });
  jobs.work('q', { concurrency: 1 }, async () => {});
  await jobs.start();
  for (let i = 0; i < 20; i++) {
    await jobs.enqueue('q', i);
    await pass(12);
  }
  asked = 0;
  await pass(3_000);
  expect(asked).toBe(3);
  await jobs.stop(0);
  await close();
});

test('a job added here runs at once, without waiting for the next poll', async () => {
  const { db, close } = await emptyDb();
  const jobs = openQueue({ store: new JobStore(db, systemClock), owners: alive, log: quiet });
  let ran = 0;
  jobs.work('q', { concurrency: 1 }, async () => {
    ran += 1;
  });
  await jobs.start();
  await jobs.enqueue('q', 1);
  await pass(10);
  expect(ran).toBe(1);
  await jobs.stop(0);
  await close();
});

test('a failing store is retried', async () => {
  const { db, close } = await emptyDb();
  const store = new JobStore(db, systemClock);
  let broken = true;
  const jobs = openQueue({
    store: changed(store, { due: () => (broken ? Promise.reject(new Error('away')) : store.due()) }),
    owners: alive,
    log: quiet,
  });
  let ran = false;
  jobs.work('q', { concurrency: 1 }, async () => {
    ran = true;
  });
  await jobs.start();
  await jobs.enqueue('q', 1);
  await pass(50);
  expect(ran).toBe(false);
  broken = false;
  await pass(1_300);
  expect(ran).toBe(true);
  await jobs.stop(0);
  await close();
});

test('an outcome that cannot be written is written later, and the job does not run again', async () => {
  const { db, close } = await emptyDb();
  const store = new JobStore(db, systemClock);
  let refusals = 2;
  const jobs = openQueue({
    store: changed(store, {
      finish: (claim) => (refusals-- > 0 ? Promise.reject(new Error('away')) : store.finish(claim)),
    }),
    owners: alive,
    log: quiet,
  });
  let ran = 0;
  jobs.work('q', { concurrency: 1 }, async () => {
    ran += 1;
  });
  await jobs.start();
  await jobs.enqueue('q', 1);
  await pass(1_500);
  expect(ran).toBe(1);
  expect(await jobs.depth()).toEqual({});
  await jobs.stop(0);
  await close();
});

test('a handler is aborted when others may take its job, which is released once that can be written', async () => {
  const { db, close } = await emptyDb();
  const store = new JobStore(db, systemClock);
  const owner = livingOwner();
  let away = true;
  const jobs = openQueue({
    store: changed(store, { fail: (...args) => (away ? Promise.reject(new Error('away')) : store.fail(...args)) }),
    owners: owner,
    log: quiet,
  });
  const attempts: number[] = [];
  let aborted = 0;
  jobs.work('q', { concurrency: 1 }, async ({ signal, attempt }) => {
    attempts.push(attempt);
    if (attempt === 1) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    aborted += Number(signal.aborted);
  });
  await jobs.start();
  await jobs.enqueue('q', 1, { maxAttempts: 2 });
  await pass(50);
  owner.lose();
  await pass(2_000);
  // The handler returned successfully, but the job was lost by then.
  expect([aborted, attempts, await jobs.depth()]).toEqual([1, [1], { q: 1 }]);
  away = false;
  await pass(2_000);
  expect([aborted, attempts, await jobs.depth()]).toEqual([1, [1, 2], {}]);
  await jobs.stop(0);
  await close();
});

test('a lost job restarts when its handler has ended; one that ignores the signal is not awaited', async () => {
  const { db, close } = await emptyDb();
  const owner = livingOwner();
  const jobs = openQueue({ store: new JobStore(db, systemClock), owners: owner, log: quiet });
  const seen: string[] = [];
  jobs.work('q', { concurrency: 2 }, async ({ data, attempt, signal }) => {
    seen.push(`${data} ${attempt}`);
    if (attempt > 1) return;
    if (data === 'deaf') return new Promise(() => {});
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    await Bun.sleep(1_000);
    seen.push(`${data} ended`);
  });
  await jobs.start();
  await jobs.enqueue('q', 'slow');
  await jobs.enqueue('q', 'deaf');
  await pass(50);
  owner.lose();
  await pass(3_000);
  expect(seen).toEqual(['slow 1', 'deaf 1', 'slow ended', 'slow 2']);
  await pass(4_000);
  expect(seen.slice(4)).toEqual(['deaf 2']);
  await jobs.stop(0);
  await close();
});

test('other work of dead processes is taken over before their jobs', async () => {
  const { db, close } = await emptyDb();
  const store = new JobStore(db, systemClock);
  const looks: (() => Promise<unknown>)[] = [];
  const owners = { ...livingOwner(), onLook: (work: () => Promise<unknown>) => looks.push(work) };
  const seen: string[] = [];
  const takeBack = () => {
    seen.push('jobs');
    return store.takeBack();
  };
  const jobs = openQueue({ store: changed(store, { takeBack }), owners, log: quiet });
  owners.onLook(async () => seen.push('money'));
  await jobs.start();
  for (const look of looks) await look();
  // Also once at start, even if no process is seen to leave.
  expect(seen).toEqual(['jobs', 'money', 'jobs']);
  await jobs.stop(0);
  await close();
});

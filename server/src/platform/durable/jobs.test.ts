import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { until } from '../../lib/until.fixture.ts';
import { type JobsPlace, openTestJobs, type TestJobs } from './jobs.fixture.ts';
import type { Job, Jobs } from './jobs.ts';
import { beatMs, deadAfterMs } from './owners.ts';

const serverUrl = process.env.DATABASE_URL_TEST ?? 'postgres://root@127.0.0.1:5432/postgres';
const database = `svc_jobs_${process.pid}_${Date.now()}`;
const folder = mkdtempSync(join(tmpdir(), 'svc-jobs-'));
const admin = new SQL(serverUrl, { max: 1 });
const reachable = await admin.unsafe(`create database ${database}`).then(
  () => true,
  () => false,
);
const url = new URL(serverUrl);
url.pathname = `/${database}`;

const places: [string, JobsPlace][] = [['sqlite', { path: join(folder, 'jobs.db') }]];
if (reachable) places.push(['postgres', { url: url.href }]);

afterAll(async () => {
  rmSync(folder, { recursive: true });
  if (reachable) await admin.unsafe(`drop database ${database} with (force)`);
  await admin.close();
});

const gone = (jobs: Jobs, queue: string) =>
  until('the job is gone', async () => (await jobs.depth())[queue] === undefined);

describe.each(places)('jobs on %s', (_, place) => {
  const opened: TestJobs[] = [];
  const openProcess = async (): Promise<TestJobs> => {
    const instance = await openTestJobs(place);
    opened.push(instance);
    return instance;
  };
  const open = async (): Promise<Jobs> => (await openProcess()).jobs;
  const end = async (jobs: Jobs) => {
    const index = opened.findIndex((instance) => instance.jobs === jobs);
    const [instance] = opened.splice(index, 1);
    await instance!.jobs.stop(0);
    await instance!.close();
  };
  beforeAll(async () => {
    // Two processes that start together on an empty database.
    await Promise.all([open(), open()]);
  });
  afterEach(async () => {
    for (const { jobs } of [...opened]) await end(jobs);
  });

  test('an added job runs with its data and is removed', async () => {
    const jobs = await open();
    const seen: Job[] = [];
    jobs.work('plain', { concurrency: 2 }, async (job) => {
      seen.push(job);
    });
    const early = await jobs.enqueue('plain', { n: 0 });
    await jobs.start();
    await until('it ran', () => seen.length === 1);
    await jobs.enqueue('plain', ['text', null, { deep: 1.5 }]);
    await until('the next ran', () => seen.length === 2);
    expect(seen.map((job) => job.data)).toEqual([{ n: 0 }, ['text', null, { deep: 1.5 }]]);
    expect(seen[0]).toMatchObject({ id: early, queue: 'plain', attempt: 1 });
    await gone(jobs, 'plain');
  });

  test('a delayed job waits until it is due', async () => {
    const jobs = await open();
    const added = performance.now();
    let ranAfterMs = 0;
    jobs.work('delayed', { concurrency: 1 }, async () => {
      ranAfterMs = performance.now() - added;
    });
    await jobs.start();
    await jobs.enqueue('delayed', {}, { delayMs: 300 });
    expect(await jobs.depth()).toMatchObject({ delayed: 1 });
    await until('it ran', () => ranAfterMs > 0);
    expect(ranAfterMs).toBeGreaterThanOrEqual(295);
  });

  test('a failing job is retried with doubled delays, then marked dead', async () => {
    const jobs = await open();
    const tries: { attempt: number; atMs: number }[] = [];
    jobs.work('failing', { concurrency: 1 }, async ({ attempt }) => {
      tries.push({ attempt, atMs: performance.now() });
      throw new Error('no');
    });
    await jobs.start();
    await jobs.enqueue('failing', {}, { maxAttempts: 3, backoffMs: 100, key: 'k' });
    await until('it was tried three times', () => tries.length === 3);
    expect(tries.map((one) => one.attempt)).toEqual([1, 2, 3]);
    expect(tries[1]!.atMs - tries[0]!.atMs).toBeGreaterThanOrEqual(95);
    expect(tries[2]!.atMs - tries[1]!.atMs).toBeGreaterThanOrEqual(195);
    await gone(jobs, 'failing');
    // A dead job does not reserve its key.
    expect(await jobs.enqueue('failing', {}, { key: 'k', delayMs: 60_000 })).not.toBeNull();
  });

  test('a key allows one waiting or running job per queue', async () => {
    const jobs = await open();
    let release = () => {};
    let ran = 0;
    jobs.work('keyed', { concurrency: 5 }, async () => {
      ran += 1;
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    });
    const ids = await Promise.all([1, 2, 3].map((n) => jobs.enqueue('keyed', n, { key: 'same' })));
    expect(ids.filter((id) => id !== null)).toHaveLength(1);
    expect(await jobs.enqueue('keyed-too', 1, { key: 'same' })).not.toBeNull();
    await jobs.start();
    await until('it runs', () => ran === 1);
    expect(await jobs.enqueue('keyed', 4, { key: 'same' })).toBeNull();
    release();
    await gone(jobs, 'keyed');
    expect(await jobs.enqueue('keyed', 5, { key: 'same' })).not.toBeNull();
    await until('the next runs', () => ran === 2);
    release();
  });

  test('a job can reschedule itself, which resets its failures', async () => {
    const jobs = await open();
    const attempts: number[] = [];
    jobs.work('again', { concurrency: 1 }, async ({ attempt }) => {
      attempts.push(attempt);
      if (attempts.length === 1 || attempts.length === 3) throw new Error('hiccup');
      return attempts.length < 5 ? { againInMs: 30 } : undefined;
    });
    await jobs.start();
    await jobs.enqueue('again', {}, { maxAttempts: 2, backoffMs: 10 });
    await until('it was called five times', () => attempts.length === 5);
    await gone(jobs, 'again');
    expect(attempts).toEqual([1, 2, 1, 2, 1]);
  });

  test("the queue's concurrency limit holds, and all jobs run once across two processes", async () => {
    const [one, other] = [await open(), await open()];
    const done: unknown[] = [];
    let most = 0;
    for (const jobs of [one, other]) {
      let now = 0;
      jobs.work('many', { concurrency: 3 }, async ({ data }) => {
        now += 1;
        most = Math.max(most, now);
        await Bun.sleep(10);
        now -= 1;
        done.push(data);
      });
    }
    const numbers = Array.from({ length: 30 }, (_, n) => n);
    await Promise.all(numbers.map((n) => one.enqueue('many', n)));
    await Promise.all([one.start(), other.start()]);
    await until('all are done', () => done.length >= 30);
    await Bun.sleep(100);
    expect(done.map(Number).sort((a, b) => a - b)).toEqual(numbers);
    expect(most).toBeLessThanOrEqual(3);
  });

  test('a job stays with its process while that lives', async () => {
    const [one, other] = [await openProcess(), await openProcess()];
    let runs = 0;
    let release = () => {};
    for (const { jobs } of [one, other]) {
      jobs.work('long', { concurrency: 1 }, async () => {
        runs += 1;
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      });
      await jobs.start();
    }
    await one.jobs.enqueue('long', {});
    await until('it runs', () => runs === 1);
    for (let passed = 0; passed < 3 * deadAfterMs; passed += beatMs) {
      await one.beat();
      await other.beat();
    }
    release();
    await gone(one.jobs, 'long');
    expect(runs).toBe(1);
  });

  test('a stopping process aborts its handlers and releases their jobs without counting an attempt', async () => {
    const [one, other] = [await open(), await open()];
    const attempts: number[] = [];
    let started = 0;
    let aborted = 0;
    one.work('handed', { concurrency: 2 }, async ({ signal, data }) => {
      started += 1;
      if (data === 'polite') {
        await new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            aborted += 1;
            reject(signal.reason);
          });
        });
      }
      await new Promise(() => {});
    });
    other.work('handed', { concurrency: 2 }, async ({ attempt }) => {
      attempts.push(attempt);
    });
    await one.enqueue('handed', 'polite', { maxAttempts: 1 });
    await one.enqueue('handed', 'deaf', { maxAttempts: 1 });
    await one.start();
    await until('both run', () => started === 2);
    await one.stop(20);
    expect(aborted).toBe(1);
    await other.start();
    await until('the other has both', () => attempts.length === 2);
    expect(attempts).toEqual([1, 1]);
  });

  test('a stopping process lets handlers finish within its grace period', async () => {
    const jobs = await open();
    let started = false;
    let finished = false;
    jobs.work('draining', { concurrency: 1 }, async ({ signal }) => {
      started = true;
      await Bun.sleep(200);
      finished = !signal.aborted;
    });
    await jobs.start();
    await jobs.enqueue('draining', {});
    await until('it runs', () => started);
    await jobs.stop(30_000);
    expect(finished).toBe(true);
    expect((await jobs.depth()).draining).toBeUndefined();
  });

  test('a killed process loses its job to another, and a living one does not', async () => {
    const adding = await open();
    const id = await adding.enqueue('takeover', { goal: 1 });
    const program = join(import.meta.dir, 'jobs.fixture.ts');
    const doomed = Bun.spawn([process.execPath, program, JSON.stringify(place)], { stdout: 'pipe' });
    const said = doomed.stdout.getReader();
    const next = async () => new TextDecoder().decode((await said.read()).value);
    expect(await next()).toContain(`took ${id}`);
    const seen: Job[] = [];
    const { jobs, beat } = await openProcess();
    jobs.work('takeover', { concurrency: 1 }, async (job) => {
      seen.push(job);
    });
    await jobs.start();
    for (let passed = 0; passed < 2 * deadAfterMs; passed += beatMs) {
      await next();
      await beat();
    }
    expect(seen).toHaveLength(0);
    doomed.kill('SIGKILL');
    await doomed.exited;
    for (let passed = 0; passed < deadAfterMs + beatMs; passed += beatMs) await beat();
    await until('it ran', () => seen.length === 1);
    expect(seen[0]).toMatchObject({ id, data: { goal: 1 }, attempt: 2 });
  });
});

if (!reachable) test.skip('jobs on postgres: skipped, no server responds', () => {});

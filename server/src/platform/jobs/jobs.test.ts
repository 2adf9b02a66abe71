import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { type JobsPlace, openTestJobs } from './jobs.fixture.ts';
import type { Job, Jobs } from './port.ts';

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

async function until(what: () => boolean, timeoutMs = 8_000): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (!what() && Date.now() < deadline) await Bun.sleep(5);
  return what();
}

describe.each(places)('jobs on %s', (_, place) => {
  const opened: { jobs: Jobs; close(): Promise<void> }[] = [];
  const open = async (): Promise<Jobs> => {
    const instance = await openTestJobs(place);
    opened.push(instance);
    return instance.jobs;
  };
  const end = async (jobs: Jobs) => {
    const index = opened.findIndex((instance) => instance.jobs === jobs);
    const [instance] = opened.splice(index, 1);
    await instance!.jobs.stop(0);
    await instance!.close();
  };
  beforeAll(async () => {
    // Two that start together on an empty database.
    await Promise.all([open(), open()]);
  });
  afterEach(async () => {
    for (const { jobs } of [...opened]) await end(jobs);
  });

  test('a job added here runs at once, with its data, and is gone', async () => {
    const jobs = await open();
    const seen: Job[] = [];
    jobs.work('plain', { concurrency: 2, leaseMs: 5_000 }, async (job) => {
      seen.push(job);
    });
    const early = await jobs.enqueue('plain', { n: 0 });
    await jobs.start();
    expect(await until(() => seen.length === 1)).toBe(true);
    const started = performance.now();
    await jobs.enqueue('plain', ['text', null, { deep: 1.5 }]);
    expect(await until(() => seen.length === 2)).toBe(true);
    // Polling alone would need half a second on average.
    expect(performance.now() - started).toBeLessThan(400);
    expect(seen.map((job) => job.data)).toEqual([{ n: 0 }, ['text', null, { deep: 1.5 }]]);
    expect(seen[0]).toMatchObject({ id: early, queue: 'plain', attempt: 1 });
    await Bun.sleep(50);
    expect((await jobs.depth()).plain).toBeUndefined();
  });

  test('a delayed job waits for its time', async () => {
    const jobs = await open();
    const added = performance.now();
    let ranAfterMs = 0;
    jobs.work('delayed', { concurrency: 1, leaseMs: 5_000 }, async () => {
      ranAfterMs = performance.now() - added;
    });
    await jobs.start();
    await jobs.enqueue('delayed', {}, { delayMs: 300 });
    expect(await jobs.depth()).toMatchObject({ delayed: 1 });
    expect(await until(() => ranAfterMs > 0)).toBe(true);
    expect(ranAfterMs).toBeGreaterThanOrEqual(295);
  });

  test('a failing job is tried again with doubled waits, then given up', async () => {
    const jobs = await open();
    const tries: { attempt: number; atMs: number }[] = [];
    jobs.work('failing', { concurrency: 1, leaseMs: 5_000 }, async ({ attempt }) => {
      tries.push({ attempt, atMs: performance.now() });
      throw new Error('no');
    });
    await jobs.start();
    await jobs.enqueue('failing', {}, { maxAttempts: 3, backoffMs: 100, key: 'k' });
    expect(await until(() => tries.length === 3)).toBe(true);
    expect(tries.map((one) => one.attempt)).toEqual([1, 2, 3]);
    expect(tries[1]!.atMs - tries[0]!.atMs).toBeGreaterThanOrEqual(95);
    expect(tries[2]!.atMs - tries[1]!.atMs).toBeGreaterThanOrEqual(195);
    await Bun.sleep(50);
    expect((await jobs.depth()).failing).toBeUndefined();
    // A dead job does not keep its key.
    expect(await jobs.enqueue('failing', {}, { key: 'k', delayMs: 60_000 })).not.toBeNull();
  });

  test('a key admits one living job, waiting or running, per queue', async () => {
    const jobs = await open();
    let release = () => {};
    let ran = 0;
    jobs.work('keyed', { concurrency: 5, leaseMs: 5_000 }, async () => {
      ran += 1;
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    });
    const ids = await Promise.all([1, 2, 3].map((n) => jobs.enqueue('keyed', n, { key: 'same' })));
    expect(ids.filter((id) => id !== null)).toHaveLength(1);
    expect(await jobs.enqueue('keyed-too', 1, { key: 'same' })).not.toBeNull();
    await jobs.start();
    expect(await until(() => ran === 1)).toBe(true);
    expect(await jobs.enqueue('keyed', 4, { key: 'same' })).toBeNull();
    release();
    await Bun.sleep(100);
    expect(await jobs.enqueue('keyed', 5, { key: 'same' })).not.toBeNull();
    expect(await until(() => ran === 2)).toBe(true);
    release();
  });

  test('a job may ask to be called again, and its failures are counted anew', async () => {
    const jobs = await open();
    const attempts: number[] = [];
    jobs.work('again', { concurrency: 1, leaseMs: 5_000 }, async ({ attempt }) => {
      attempts.push(attempt);
      if (attempts.length === 1 || attempts.length === 3) throw new Error('hiccup');
      return attempts.length < 5 ? { againInMs: 30 } : undefined;
    });
    await jobs.start();
    await jobs.enqueue('again', {}, { maxAttempts: 2, backoffMs: 10 });
    expect(await until(() => attempts.length === 5)).toBe(true);
    await Bun.sleep(100);
    expect(attempts).toEqual([1, 2, 1, 2, 1]);
    expect((await jobs.depth()).again).toBeUndefined();
  });

  test('no more run at once than the queue allows, and all run once over two processes', async () => {
    const [one, other] = [await open(), await open()];
    const done: unknown[] = [];
    let most = 0;
    for (const jobs of [one, other]) {
      let now = 0;
      jobs.work('many', { concurrency: 3, leaseMs: 5_000 }, async ({ data }) => {
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
    expect(await until(() => done.length >= 30)).toBe(true);
    await Bun.sleep(100);
    expect(done.map(Number).sort((a, b) => a - b)).toEqual(numbers);
    expect(most).toBeLessThanOrEqual(3);
  });

  test('a job longer than its lease stays with the process that is alive', async () => {
    const [one, other] = [await open(), await open()];
    let runs = 0;
    let ended = 0;
    for (const jobs of [one, other]) {
      jobs.work('long', { concurrency: 1, leaseMs: 400 }, async () => {
        runs += 1;
        await Bun.sleep(1_600);
        ended += 1;
      });
    }
    await Promise.all([one.start(), other.start()]);
    await one.enqueue('long', {});
    expect(await until(() => ended === 1)).toBe(true);
    expect(runs).toBe(1);
  });

  test('a process that stops aborts its handlers and gives their jobs back, uncounted', async () => {
    const [one, other] = [await open(), await open()];
    const attempts: number[] = [];
    let aborted = 0;
    one.work('handed', { concurrency: 2, leaseMs: 60_000 }, async ({ signal, data }) => {
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
    other.work('handed', { concurrency: 2, leaseMs: 60_000 }, async ({ attempt }) => {
      attempts.push(attempt);
    });
    await one.enqueue('handed', 'polite', { maxAttempts: 1 });
    await one.enqueue('handed', 'deaf', { maxAttempts: 1 });
    await one.start();
    await Bun.sleep(200);
    await one.stop(20);
    expect(aborted).toBe(1);
    await other.start();
    expect(await until(() => attempts.length === 2)).toBe(true);
    expect(attempts).toEqual([1, 1]);
  });

  test('a stopping process lets handlers finish within the time it is given', async () => {
    const jobs = await open();
    let finished = false;
    jobs.work('draining', { concurrency: 1, leaseMs: 5_000 }, async ({ signal }) => {
      await Bun.sleep(200);
      finished = !signal.aborted;
    });
    await jobs.start();
    await jobs.enqueue('draining', {});
    await Bun.sleep(100);
    await jobs.stop(5_000);
    expect(finished).toBe(true);
    expect((await jobs.depth()).draining).toBeUndefined();
  });

  test('a killed process loses its job to another after the lease', async () => {
    const jobs = await open();
    const id = await jobs.enqueue('takeover', { goal: 1 });
    const program = join(import.meta.dir, 'jobs.fixture.ts');
    const doomed = Bun.spawn([process.execPath, program, JSON.stringify(place)], { stdout: 'pipe' });
    const reader = doomed.stdout.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toContain(`took ${id}`);
    const seen: Job[] = [];
    jobs.work('takeover', { concurrency: 1, leaseMs: 900 }, async (job) => {
      seen.push(job);
    });
    await jobs.start();
    await Bun.sleep(1_500);
    // Its heartbeats keep it.
    expect(seen).toHaveLength(0);
    doomed.kill('SIGKILL');
    await doomed.exited;
    expect(await until(() => seen.length === 1)).toBe(true);
    expect(seen[0]).toMatchObject({ id, data: { goal: 1 }, attempt: 2 });
  }, 20_000);
});

if (!reachable) test.skip('jobs on postgres: no server answers', () => {});

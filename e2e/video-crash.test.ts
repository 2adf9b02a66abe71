/** Video jobs through the death of the process that made them: nothing lost, nothing charged twice. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { film, startUpstream } from '../server/src/video/upstream.fixture.ts';
import { ownDatabase } from './own-database.ts';
import { type Caller, type Service, startService, until } from './service.ts';

const startQuota = 10_000_000;
/** 5 seconds, the length of a model that lists none, at USD 0.1. */
const price = 250_000;

const closers: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

const upstreamOf = (...args: Parameters<typeof startUpstream>) => {
  const upstream = startUpstream(...args);
  closers.push(() => upstream.stop());
  return upstream;
};

interface Job {
  id: string;
  status: string;
  usage?: { cost: number };
}

async function createJob(service: Service, user: Caller, upstreamUrl: string): Promise<{ id: string; key: string }> {
  const { modelId } = await service.serve({ kind: 'openai', url: upstreamUrl, type: 'video', requestPrice: 0.1 });
  const key = await user.key();
  const answer = await service.post('/v1/videos', { model: modelId, prompt: 'a storm' }, { key });
  expect(answer.status).toBe(202);
  return { id: ((await answer.json()) as Job).id, key };
}

const ask = (service: Service, path: string, key: string) =>
  fetch(`${service.url}/v1/videos/${path}`, { headers: { authorization: `Bearer ${key}` } });
const jobOf = async (service: Service, { id, key }: { id: string; key: string }) =>
  (await (await ask(service, id, key)).json()) as Job;

/** The first download never ends; the ones after it are quick. */
const stuckOnce = (count: number): Response | undefined =>
  count > 1
    ? undefined
    : new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(film.slice(0, 1_000)),
          pull: () => new Promise(() => {}),
        }),
        { headers: { 'content-type': 'video/mp4' } },
      );

test('video jobs killed while submitting, waiting and downloading continue after a restart', async () => {
  const service = await startService();
  closers.push(() => service.stop());
  const user = await service.user(startQuota);
  const never = new Promise<undefined>(() => {});
  const submitting = upstreamOf('openai', { status: 'completed', onSubmit: (n) => (n === 1 ? never : undefined) });
  const waiting = upstreamOf('openai', { status: 'in_progress' });
  const downloading = upstreamOf('openai', { status: 'completed', onDownload: stuckOnce });
  const jobs: { id: string; key: string }[] = [];
  for (const { url } of [submitting, waiting, downloading]) jobs.push(await createJob(service, user, url));
  await until('every job is where it is to be killed', async () => {
    const states = await Promise.all(jobs.map((job) => jobOf(service, job)));
    return submitting.submits.length === 1 && downloading.downloads === 1 && states[1]!.status === 'in_progress';
  });
  expect((await service.self(user)).quota).toBe(startQuota - 3 * price);

  await service.kill('SIGKILL');
  waiting.script = { status: 'completed' };
  await service.restart();
  await until(
    'every job is completed',
    async () => (await Promise.all(jobs.map((job) => jobOf(service, job)))).every((job) => job.status === 'completed'),
    240_000,
  );
  // What was made without anybody hearing of it is found in the upstream's list.
  expect([submitting.submits.length, waiting.submits.length, downloading.submits.length]).toEqual([1, 1, 1]);
  for (const job of jobs) {
    expect(new Uint8Array(await (await ask(service, `${job.id}/content`, job.key)).arrayBuffer())).toEqual(film);
    expect((await jobOf(service, job)).usage).toEqual({ cost: 0.5 });
  }
  const self = await service.self(user);
  expect([self.quota, self.used_quota]).toEqual([startQuota - 3 * price, 3 * price]);
}, 300_000);

test('on PostgreSQL another process takes over the jobs of a dead one', async () => {
  const database = await ownDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-video-'));
  closers.push(async () => {
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const options = { dataDir, env: database.env };
  const first = await startService(options);
  closers.push(() => first.stop());
  const user = await first.user(startQuota);
  const upstream = upstreamOf('openai', { status: 'completed', onDownload: stuckOnce });
  const job = await createJob(first, user, upstream.url);
  await until('the first process downloads', () => upstream.downloads === 1);
  const second = await startService(options);
  closers.push(() => second.stop());
  await first.kill('SIGKILL');
  await until('the second has finished it', async () => (await jobOf(second, job)).status === 'completed', 60_000);
  expect([upstream.submits.length, upstream.downloads]).toEqual([1, 2]);
  const bytes = await (await ask(second, `${job.id}/content`, job.key)).arrayBuffer();
  expect(new Uint8Array(bytes)).toEqual(film);
  const answer = await fetch(`${second.url}/api/user/self`, { headers: { cookie: user.cookie } });
  const self = ((await answer.json()) as { data: { quota: number; used_quota: number } }).data;
  expect([self.quota, self.used_quota]).toEqual([startQuota - price, price]);
}, 300_000);

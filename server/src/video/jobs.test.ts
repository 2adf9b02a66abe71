import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { until } from '../lib/until.fixture.ts';
import { moveJob } from './store.ts';
import { film, type ScriptedUpstream, startUpstream } from './upstream.fixture.ts';
import { addModel, type Client, openVideoTest, type VideoTest } from './video.fixture.ts';

let world: VideoTest;
let client: Client;
const started: ScriptedUpstream[] = [];
const upstreamOf = (...args: Parameters<typeof startUpstream>) => {
  const upstream = startUpstream(...args);
  started.push(upstream);
  return upstream;
};

const startQuota = 10_000_000;
/** 4 seconds at USD 0.1. */
const price = 200_000;

beforeAll(async () => {
  world = await openVideoTest({ env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
  await world.test.setOption('RateLimitV1', 1_000_000);
});
afterAll(() => world.close());
afterEach(() => {
  for (const upstream of started.splice(0)) upstream.stop();
});

/** A model of its own on an upstream of its own, and somebody to pay for it. */
async function setUp(script?: Parameters<typeof startUpstream>[1], kind: 'openai' | 'openrouter' = 'openai') {
  const upstream = upstreamOf(kind, script);
  const model = `films/${crypto.randomUUID().slice(0, 8)}`;
  await addModel(world.root.call, upstream.url, { kind, model });
  client = await world.client(startQuota);
  return { upstream, model };
}

/** Promises a whole file and hangs up after a part of it. */
function cutOff() {
  const head = `HTTP/1.1 200 OK\r\ncontent-type: video/mp4\r\ncontent-length: ${film.length}\r\n\r\n`;
  const server = Bun.listen({
    port: 0,
    hostname: '127.0.0.1',
    socket: {
      data: (socket) => {
        socket.write(head);
        socket.write(film.slice(0, 100));
        setTimeout(() => socket.end(), 50);
      },
    },
  });
  return { url: `http://127.0.0.1:${server.port}/film`, stop: () => server.stop(true) };
}

const bytesOf = async (address: string) => {
  const { pathname, search } = new URL(address);
  return (await client.call(pathname + search)).bytes();
};
const usage = async () =>
  (
    (await (await client.member.call('/api/usage/logs')).json()) as {
      data: { logs: { quota: number; units: number; endpoint: string; model_id?: string }[] };
    }
  ).data.logs;

describe('a video job', () => {
  test('goes from pending through in_progress to completed and is charged once', async () => {
    const { upstream, model } = await setUp({ status: 'queued', progress: 0 });
    const { id } = await client.create({
      model,
      prompt: 'a fox',
      duration: 4,
      aspect_ratio: '9:16',
      resolution: '720p',
    });
    while (upstream.polls === 0) await Bun.sleep(20);
    expect(await client.job(id)).toEqual({
      id,
      generation_id: expect.stringMatching(/^gen-/),
      polling_url: `/v1/videos/${id}`,
      status: 'pending',
    });
    expect(await client.quota()).toBe(startQuota - price);
    expect(upstream.submits).toEqual([
      {
        id: 'up-1',
        type: 'application/json',
        key: id,
        auth: 'Bearer secret-credential',
        body: { model: 'one-upstream', prompt: 'a fox', seconds: '4', size: '720x1280' },
      },
    ]);
    upstream.script = { status: 'in_progress', progress: 40 };
    await client.reach(id, 'in_progress');
    const { data } = (await (await client.call('/v1/videos')).json()) as { data: Record<string, unknown>[] };
    expect(data[0]).toMatchObject({ id, model, prompt: 'a fox', duration: 4, progress: 40, finished_at: null });
    upstream.script = { status: 'completed' };
    const done = await client.reach(id, 'completed');
    expect(done.usage).toEqual({ cost: 0.4 });
    expect(done.unsigned_urls).toEqual([`${world.test.config.baseUrl}/v1/videos/${id}/content?index=0`]);
    expect(done.error).toBeUndefined();
    expect(await bytesOf(done.unsigned_urls![0]!)).toEqual(film);
    expect(await client.quota()).toBe(startQuota - price);
    expect(await usage()).toMatchObject([{ quota: price, units: 4, endpoint: '/v1/videos' }]);
    const cancelled = await client.call(`/v1/videos/${id}`, { method: 'DELETE' });
    expect([cancelled.status, (await client.job(id)).status]).toEqual([409, 'completed']);
  });

  test('keeps its file when a stalled download finishes after another worker’s', async () => {
    const late = Promise.withResolvers<undefined>();
    const { upstream, model } = await setUp({ status: 'completed', onDownload: () => late.promise });
    const { id } = await client.create({ model, prompt: 'a fox', duration: 4 });
    while (upstream.downloads === 0) await Bun.sleep(20);
    // As the process does that has taken the job over.
    const { database, blobs } = world.test.platform;
    const key = `videos/${id}/0`;
    await blobs.put(key, film, 'video/mp4');
    const changes = { results: JSON.stringify([key]), finished_at_ms: Date.now(), touched_at_ms: 1 };
    await moveJob(database.db, id, 'completed', changes);
    late.resolve(undefined);
    const left = () => database.db.selectFrom('jobs').select('id').where('queue', '=', 'video').execute();
    await until('the late one is done', async () => (await left()).length === 0);
    world.test.app.sweep();
    const done = await client.reach(id, 'completed');
    expect(await bytesOf(done.unsigned_urls![0]!)).toEqual(film);
  });

  test('that no upstream has accepted is not submitted after its user was disabled', async () => {
    const { upstream, model } = await setUp({
      status: 'queued',
      onSubmit: () => new Response('busy', { status: 429 }),
    });
    const other = await world.client(startQuota);
    const { id } = await other.create({ model, prompt: 'x' });
    while (upstream.submits.length === 0) await Bun.sleep(20);
    const status = (status: number) =>
      world.root.call(`/api/admin/users/${other.member.id}`, { method: 'PUT', body: { status } });
    await status(2);
    const seen = upstream.submits.length;
    const { db } = world.test.platform.database;
    const job = () => db.selectFrom('video_jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    while ((await job()).status === 'pending') await Bun.sleep(20);
    expect(await job()).toMatchObject({ status: 'failed', error: 'This account is disabled.' });
    // One may have been on its way.
    expect(upstream.submits.length).toBeLessThanOrEqual(seen + 1);
  }, 300_000);

  test('costs at most what was held if the price has risen, and less if it has fallen', async () => {
    for (const [now, cost] of [
      [1, price],
      [0.05, price / 2],
    ] as const) {
      const upstream = upstreamOf('openai', {
        status: 'completed',
        onSubmit: () => new Response('{}', { status: 429 }),
      });
      const model = `films/${crypto.randomUUID().slice(0, 8)}`;
      const { modelId } = await addModel(world.root.call, upstream.url, { model });
      client = await world.client(startQuota);
      const { id } = await client.create({ model, prompt: 'p', duration: 4 });
      await until('it was asked in vain', () => upstream.submits.length > 0);
      const change = { method: 'PUT', body: { request_price: now } };
      expect((await world.root.call(`/api/admin/provider-models/${modelId}`, change)).status).toBe(200);
      upstream.script = { status: 'completed' };
      const { usage: told } = await client.reach(id, 'completed');
      expect([startQuota - (await client.quota()), told?.cost]).toEqual([cost, cost / 500_000]);
    }
  });

  test('that fails costs nothing and reports the reason', async () => {
    const { model } = await setUp({ status: 'failed', error: 'the prompt is not allowed' });
    const { id } = await client.create({ model, prompt: 'x' });
    const failed = await client.reach(id, 'failed');
    expect(failed).toMatchObject({ status: 'failed', error: 'the prompt is not allowed' });
    expect(failed).not.toHaveProperty('usage');
    expect(failed).not.toHaveProperty('unsigned_urls');
    expect(await client.quota()).toBe(startQuota);
    const content = await client.call(`/v1/videos/${id}/content`);
    expect([content.status, await content.json()]).toEqual([
      400,
      { error: { code: 400, message: 'The video is not ready: the job is failed' } },
    ]);
  });

  test('that its upstream rejects fails with the upstream’s message, without credentials', async () => {
    const message = 'prompt too long for key sk-abcdefghijklmnop';
    const { upstream, model } = await setUp({
      status: 'queued',
      onSubmit: () => Response.json({ error: { message } }, { status: 400 }),
    });
    const { id } = await client.create({ model, prompt: 'x' });
    expect((await client.reach(id, 'failed')).error).toBe('prompt too long for key sk-[redacted]');
    expect(upstream.submits).toHaveLength(1);
    expect(await client.quota()).toBe(startQuota);
  });

  test('falls back to the next provider if the first does not accept it', async () => {
    const { upstream, model } = await setUp();
    const broken = upstreamOf('openai', {
      status: 'queued',
      onSubmit: () => Response.json({ error: { message: 'no' } }, { status: 503 }),
    });
    await addModel(world.root.call, broken.url, { model, priority: 100 });
    const { id } = await client.create({ model, prompt: 'x', provider: { order: ['films-100'] } });
    await client.reach(id, 'completed');
    expect([broken.submits.length, upstream.submits.length]).toEqual([1, 1]);
  });

  test('survives temporary upstream failures at every step', async () => {
    const stumble = (count: number) => (count <= 1 ? new Response('busy', { status: 500 }) : undefined);
    const cutter = cutOff();
    const { upstream, model } = await setUp({
      status: 'completed',
      onSubmit: stumble,
      onPoll: stumble,
      onDownload: (count) => (count === 1 ? Response.redirect(cutter.url) : stumble(count - 1)),
    });
    const { id } = await client.create({ model, prompt: 'x' });
    const done = await client.reach(id, 'completed');
    expect(await bytesOf(done.unsigned_urls![0]!)).toEqual(film);
    expect([upstream.submits.length, upstream.downloads]).toEqual([2, 3]);
    expect(await client.quota()).toBe(startQuota - price);
    cutter.stop();
  });

  test('that its upstream no longer knows fails', async () => {
    const { model } = await setUp({ status: 'queued', onPoll: () => new Response('{}', { status: 404 }) });
    const { id } = await client.create({ model, prompt: 'x' });
    expect((await client.reach(id, 'failed')).error).toBe('The provider no longer has a record of this video.');
    expect(await client.quota()).toBe(startQuota);
  });

  test('whose result is at a private address fails and costs nothing', async () => {
    const inside = upstreamOf('openai');
    const guarded = await openVideoTest({ env: { BASE_URL: 'https://svc.example' } });
    try {
      const upstream = upstreamOf('openrouter', { status: 'completed', urls: () => [`${inside.url}/files/secret`] });
      await addModel(guarded.root.call, upstream.url, { kind: 'openrouter' });
      const payer = await guarded.client(startQuota);
      const { id } = await payer.create({ model: 'films/one', prompt: 'x' });
      expect((await payer.reach(id, 'failed')).error).toBe(
        'The video was generated but could not be downloaded from the provider.',
      );
      expect([inside.downloads, await payer.quota()]).toEqual([0, startQuota]);
    } finally {
      await guarded.close();
    }
  }, 300_000);

  test('whose file is an HTML page is never completed', async () => {
    const { model } = await setUp({
      status: 'completed',
      onDownload: () => new Response('<script>', { headers: { 'content-type': 'text/html' } }),
    });
    const { id } = await client.create({ model, prompt: 'x' });
    await client.reach(id, 'in_progress');
    await Bun.sleep(300);
    expect((await client.job(id)).status).toBe('in_progress');
    await client.call(`/v1/videos/${id}`, { method: 'DELETE' });
  });
});

describe('cancelling', () => {
  test('refunds immediately, cancels upstream, and is final', async () => {
    const { upstream, model } = await setUp({ status: 'in_progress' });
    const { id } = await client.create({ model, prompt: 'x' });
    await client.reach(id, 'in_progress');
    const answers = await Promise.all([1, 2, 3].map(() => client.call(`/v1/videos/${id}`, { method: 'DELETE' })));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
    expect(await answers[0]!.json()).toMatchObject({ id, status: 'cancelled' });
    expect(await client.quota()).toBe(startQuota);
    upstream.script = { status: 'completed' };
    while (upstream.deletes.length === 0) await Bun.sleep(20);
    await Bun.sleep(1_500);
    expect(await client.job(id)).toMatchObject({ status: 'cancelled' });
    expect(upstream.deletes).toEqual(['up-1']);
    expect(await client.quota()).toBe(startQuota);
    expect(await usage()).toEqual([]);
  });

  test('during submission cancels upstream too', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const { upstream, model } = await setUp({ status: 'queued', onSubmit: () => promise });
    const { id } = await client.create({ model, prompt: 'x' });
    while (upstream.submits.length === 0) await Bun.sleep(20);
    expect((await client.call(`/v1/videos/${id}`, { method: 'DELETE' })).status).toBe(200);
    resolve(undefined);
    while (upstream.deletes.length === 0) await Bun.sleep(20);
    expect(await client.job(id)).toMatchObject({ status: 'cancelled' });
    expect(await client.quota()).toBe(startQuota);
  });
});

test('other users’ jobs return 404', async () => {
  const { model } = await setUp({ status: 'completed' });
  const { id } = await client.create({ model, prompt: 'x' });
  await client.reach(id, 'completed');
  const other = await world.client();
  const missing = { error: { code: 404, message: 'Resource not found' } };
  for (const path of [`/v1/videos/${id}`, `/v1/videos/${id}/content`, '/v1/videos/job-none']) {
    const answer = await other.call(path);
    expect([path, answer.status, await answer.json()]).toEqual([path, 404, missing]);
  }
  const deleted = await other.call(`/v1/videos/${id}`, { method: 'DELETE' });
  expect([deleted.status, await deleted.json()]).toEqual([404, missing]);
  expect(await (await other.call('/v1/videos')).json()).toMatchObject({ total: 0 });
  expect((await client.job(id)).status).toBe('completed');
});

test('OpenRouter: sends the request with its model name, supports several results, and sends the credential only to its host', async () => {
  const elsewhere = upstreamOf('openai', { status: 'completed' });
  let auth: string | null = 'none seen';
  const files = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      auth = request.headers.get('authorization');
      return new Response(film.slice(0, 10), { headers: { 'content-type': 'video/webm' } });
    },
  });
  const { upstream, model } = await setUp(
    {
      status: 'completed',
      urls: (id) => [`/v1/files/${id}`, `http://127.0.0.1:${files.port}/b`],
    },
    'openrouter',
  );
  const frame = { frame_type: 'first_frame', image_url: { url: 'https://a.test/a.png' } };
  const { id } = await client.create({ model, prompt: 'x', duration: 8, size: '1280x720', frame_images: [frame] });
  const done = await client.reach(id, 'completed');
  expect(upstream.submits[0]!.body).toEqual({
    model: 'one-upstream',
    prompt: 'x',
    duration: 8,
    size: '1280x720',
    frame_images: [{ type: 'image_url', ...frame }],
  });
  expect(done.unsigned_urls).toHaveLength(2);
  expect(await bytesOf(done.unsigned_urls![0]!)).toEqual(film);
  const second = await client.call(`/v1/videos/${id}/content?index=1`);
  expect([second.headers.get('content-type'), (await second.bytes()).length]).toEqual(['video/webm', 10]);
  expect(auth).toBeNull();
  expect((await client.call(`/v1/videos/${id}/content?index=2`)).status).toBe(404);
  expect((await client.call(`/v1/videos/${id}/content?index=-1`)).status).toBe(400);
  await files.stop(true);
  elsewhere.stop();
});

test('the built-in provider creates a real file for free', async () => {
  const poor = await world.client();
  const { id } = await poor.create({ model: 'demo/video', prompt: 'waves', duration: 2, aspect_ratio: '1:1' });
  await poor.reach(id, 'in_progress');
  const done = await poor.reach(id, 'completed');
  expect(done.usage).toEqual({ cost: 0 });
  const answer = await poor.call(`/v1/videos/${id}/content`);
  expect(answer.headers.get('content-type')).toBe('video/webm');
  // EBML, the first four bytes of every WebM file.
  expect([...(await answer.bytes()).slice(0, 4)]).toEqual([0x1a, 0x45, 0xdf, 0xa3]);
});

test('an unfinished job expires and costs nothing, even if no one asks for it', async () => {
  const hasty = await openVideoTest({ env: { VIDEO_JOB_TTL: '2' } });
  const upstream = upstreamOf('openai', { status: 'in_progress' });
  await addModel(hasty.root.call, upstream.url);
  const member = await hasty.client(startQuota);
  const { id } = await member.create({ model: 'films/one', prompt: 'x' });
  await member.reach(id, 'in_progress');
  const { db } = hasty.test.platform.database;
  const { credential } = await db.selectFrom('channels').select('credential').executeTakeFirstOrThrow();
  await db.updateTable('channels').set({ credential: 'unreadable' }).execute();
  const expired = await member.reach(id, 'expired');
  await db.updateTable('channels').set({ credential }).execute();
  expect(Object.keys(expired).sort()).toEqual(['generation_id', 'id', 'polling_url', 'status']);
  expect(await member.quota()).toBe(startQuota);
  await hasty.close();
});

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import OpenAI, { toFile } from 'openai';
import { until } from '../lib/until.fixture.ts';
import { film, type ScriptedUpstream, startUpstream } from './upstream.fixture.ts';
import { addModel, type Client, openVideoTest, type VideoTest } from './video.fixture.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
);

let world: VideoTest;
let upstream: ScriptedUpstream;
let payer: Client;
let openai: OpenAI;
beforeAll(async () => {
  world = await openVideoTest();
  upstream = startUpstream('openai', { status: 'in_progress', progress: 40 });
  await addModel(world.root.call, upstream.url);
  payer = await world.client(10_000_000);
  openai = new OpenAI({
    apiKey: await payer.member.key(),
    baseURL: `${world.test.config.baseUrl}/v1`,
    maxRetries: 0,
    fetch: ((input: string | URL | Request, init?: RequestInit) =>
      world.test.app.fetch(new Request(input, init))) as typeof fetch,
  });
});
afterAll(async () => {
  upstream.stop();
  await world.close();
});

const model = 'films/one';
const usage = async () => {
  const answer = (await (await payer.member.call('/api/usage/logs')).json()) as { data: { logs: unknown[] } };
  return answer.data.logs;
};
const ends = async (id: string, status: string) => {
  await until(`the video is ${status}`, async () => (await openai.videos.retrieve(id)).status === status);
  return openai.videos.retrieve(id);
};

describe('OpenAI’s client', () => {
  test('create, retrieve, download and delete', async () => {
    upstream.script = { status: 'in_progress', progress: 40 };
    const made = await openai.videos.create({ model, prompt: 'waves', seconds: '4', size: '1280x720' });
    expect(made).toMatchObject({
      object: 'video',
      status: 'queued',
      model,
      prompt: 'waves',
      seconds: '4',
      size: '1280x720',
      progress: 0,
      error: null,
      completed_at: null,
      remixed_from_video_id: null,
    });
    expect(made.id).toStartWith('video_');
    expect(await ends(made.id, 'in_progress')).toMatchObject({ object: 'video' });
    await until('its progress is told', async () => (await openai.videos.retrieve(made.id)).progress === 40);
    upstream.script = { status: 'completed' };
    const done = await ends(made.id, 'completed');
    expect(done).toMatchObject({ progress: 100, error: null, completed_at: expect.any(Number) });
    const content = await openai.videos.downloadContent(made.id, { variant: 'video' });
    expect(new Uint8Array(await content.arrayBuffer())).toEqual(film);
    const thumbnail = openai.videos.downloadContent(made.id, { variant: 'thumbnail' });
    expect(await thumbnail.catch((error) => error)).toMatchObject({ status: 400 });
    const remix = openai.videos.remix(made.id, { prompt: 'more waves' });
    expect(await remix.catch((error) => error)).toMatchObject({
      status: 400,
      message: expect.stringContaining('remixed'),
    });
    expect(await openai.videos.delete(made.id)).toEqual({ id: made.id, object: 'video.deleted', deleted: true });
    expect(await openai.videos.retrieve(made.id).catch((error) => error)).toMatchObject({ status: 404 });
    expect(await openai.videos.delete(made.id).catch((error) => error)).toMatchObject({ status: 404 });
    expect(await usage()).toHaveLength(1);
  });

  test('accepts an image file as input reference', async () => {
    upstream.script = { status: 'completed' };
    const input_reference = await toFile(png, 'start.png', { type: 'image/png' });
    const { id } = await openai.videos.create({ model, prompt: 'waves', seconds: '4', input_reference });
    await ends(id, 'completed');
    expect(upstream.submits.at(-1)!.type).toStartWith('multipart/form-data');
  });

  test('a video deleted while in progress costs nothing, and a failed one reports the reason', async () => {
    upstream.script = { status: 'in_progress' };
    const before = await payer.quota();
    const { id } = await openai.videos.create({ model, prompt: 'waves', seconds: '8' });
    expect(await openai.videos.delete(id)).toMatchObject({ deleted: true });
    expect(await payer.quota()).toBe(before);
    upstream.script = { status: 'failed', error: 'too wet' };
    const failing = await openai.videos.create({ model, prompt: 'waves', seconds: '4' });
    expect((await ends(failing.id, 'failed')).error).toMatchObject({ code: 'failed', message: expect.any(String) });
  });

  test('lists pages, all in OpenAI’s format', async () => {
    upstream.script = { status: 'in_progress' };
    const own = await payer.create({ model, prompt: 'in our words' });
    expect(own.id).toStartWith('job-');
    expect(Object.keys(own).sort()).toEqual(['generation_id', 'id', 'polling_url', 'status']);
    await openai.videos.create({ model, prompt: 'in theirs', seconds: '4' });
    const newest = await Array.fromAsync(openai.videos.list({ limit: 1 }));
    expect(newest.length).toBeGreaterThanOrEqual(4);
    expect(newest.map(({ object }) => object)).toEqual(newest.map(() => 'video'));
    expect(newest.map(({ id }) => id)).toContain(own.id);
    const oldest = await Array.fromAsync(openai.videos.list({ limit: 2, order: 'asc' }));
    expect(oldest.map(({ id }) => id)).toEqual(newest.map(({ id }) => id).reverse());
    const bare = await Array.fromAsync(openai.videos.list());
    expect(bare.map(({ id }) => id)).toEqual(newest.map(({ id }) => id));
    // From where one stood that was deleted meanwhile.
    const { id: gone } = await openai.videos.create({ model, prompt: 'not for long', seconds: '4' });
    await openai.videos.delete(gone);
    const behind = await Array.fromAsync(openai.videos.list({ after: gone, limit: 1 }));
    expect(behind.map(({ id }) => id)).toEqual(newest.map(({ id }) => id));
    expect((await openai.videos.list({ after: gone, order: 'asc' })).data).toEqual([]);
    const never = openai.videos.list({ after: 'video_none' });
    expect(await never.catch((error) => error)).toMatchObject({ status: 400 });
    // Azure's clients name a version in every address.
    expect((await payer.call('/openai/v1/videos?api-version=preview')).status).toBe(200);
    const numbered = await payer.call('/v1/videos?page=1&page_size=2');
    expect(await numbered.json()).toMatchObject({ page: 1, page_size: 2, data: [{ duration: 4 }, { id: own.id }] });
  });

  test('a size that the model does not list is sent as an aspect ratio', async () => {
    const { id } = await openai.videos.create({ model: 'demo/video', prompt: 'x', seconds: '4', size: '720x1280' });
    expect((await openai.videos.retrieve(id)).size).toBe('720x1280');
    await openai.videos.delete(id);
  });
});

describe('invalid requests in OpenAI’s format', () => {
  const send = (fields: Record<string, string | File>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ model, prompt: 'x', ...fields })) form.set(name, value);
    return payer.call('/v1/videos', { method: 'POST', body: form });
  };

  test.each([
    [{ seconds: 'four' }, 'seconds'],
    [{ seconds: '5' }, 'duration'],
    [{ size: 'huge' }, 'size'],
    [{ prompt: '' }, 'Prompt'],
    [{ prompt: 'a\0b' }, 'prompt'],
    [{ colour: 'red' }, 'colour'],
    [{ input_reference: new File(['x'], 'x.txt', { type: 'text/plain' }) }, 'input_references'],
    [{ prompt: new File(['x'], 'x.txt') }, 'prompt'],
    [{ 'input_reference[file_id]': 'file-1' }, 'file_id'],
  ])('%j', async (fields, named) => {
    const answer = await send(fields as Record<string, string>);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({ error: { code: 400, message: expect.stringContaining(named) } });
  });

  test('JSON requests, and invalid page parameters', async () => {
    const body = { model, prompt: 'x', seconds: '4', input_reference: { image_url: 'http://x' } };
    expect((await payer.call('/v1/videos', { method: 'POST', body })).status).toBe(400);
    const taken = await payer.call('/v1/videos', { method: 'POST', body: { model, prompt: 'x', seconds: 4 } });
    expect(await taken.json()).toMatchObject({ object: 'video', seconds: '4' });
    for (const query of ['after=nothing', 'limit=0', 'limit=x', 'order=up'])
      expect((await payer.call(`/v1/videos?${query}`)).status).toBe(400);
  });
});

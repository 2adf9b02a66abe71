import { afterAll, beforeAll, expect, test } from 'bun:test';
import { film, startUpstream } from './upstream.fixture.ts';
import { addModel, type Client, openVideoTest, type VideoTest } from './video.fixture.ts';

let world: VideoTest;
let client: Client;
let url: string;
let authorization: string;
const upstream = startUpstream('openai');
/** A real port: what a client sees of lengths and HEAD is decided there. */
let server: Bun.Server<unknown>;

beforeAll(async () => {
  world = await openVideoTest();
  await addModel(world.root.call, upstream.url, { price: 0 });
  client = await world.client();
  authorization = `Bearer ${await client.member.key()}`;
  const { id } = await client.create({ model: 'films/one', prompt: 'x' });
  await client.reach(id, 'completed');
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request, self) => world.test.app.fetch(request, self) });
  url = `http://127.0.0.1:${server.port}/v1/videos/${id}/content`;
});
afterAll(async () => {
  await server.stop(true);
  await world.close();
  upstream.stop();
});

const get = (headers: Record<string, string> = {}, method = 'GET') =>
  fetch(url, { method, headers: { authorization, ...headers } });

test('returns the whole file', async () => {
  const answer = await get();
  expect(answer.status).toBe(200);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'video/mp4',
    'content-length': String(film.length),
    'accept-ranges': 'bytes',
    'cache-control': 'private',
    'x-content-type-options': 'nosniff',
  });
  expect(await answer.bytes()).toEqual(film);
});

test.each([
  ['bytes=0-99', 0, 99],
  ['bytes=100-', 100, film.length - 1],
  ['bytes=-7', film.length - 7, film.length - 1],
  ['bytes=4990-9999', 4_990, film.length - 1],
])('%s', async (range, start, end) => {
  const answer = await get({ range });
  expect(answer.status).toBe(206);
  expect(answer.headers.get('content-range')).toBe(`bytes ${start}-${end}/${film.length}`);
  expect(answer.headers.get('content-length')).toBe(String(end - start + 1));
  expect(await answer.bytes()).toEqual(film.slice(start, end + 1));
});

test('returns 416 for a range outside the file', async () => {
  const answer = await get({ range: `bytes=${film.length}-` });
  expect(answer.status).toBe(416);
  expect(answer.headers.get('content-range')).toBe(`bytes */${film.length}`);
  expect(await answer.json()).toMatchObject({ error: { code: 416 } });
});

test('a range with an outdated If-Range returns the whole file', async () => {
  const { headers } = await get();
  expect((await get({ range: 'bytes=0-1', 'if-range': headers.get('etag')! })).status).toBe(206);
  expect((await get({ range: 'bytes=0-1', 'if-range': '"other"' })).status).toBe(200);
});

test('a client that has the file is not sent it again', async () => {
  const etag = (await get()).headers.get('etag')!;
  for (const [method, known] of [
    ['GET', etag],
    ['HEAD', etag],
    ['GET', `"other", W/${etag}`],
    ['GET', '*'],
  ] as const) {
    const answer = await get({ 'if-none-match': known, range: 'bytes=0-1' }, method);
    expect([answer.status, answer.headers.get('etag'), (await answer.bytes()).length]).toEqual([304, etag, 0]);
  }
  expect((await get({ 'if-none-match': '"other"' })).status).toBe(200);
});

test('HEAD returns the length without a body', async () => {
  const whole = await get({}, 'HEAD');
  expect([whole.status, whole.headers.get('content-length')]).toEqual([200, String(film.length)]);
  expect((await whole.bytes()).length).toBe(0);
  const part = await get({ range: 'bytes=0-9' }, 'HEAD');
  expect([part.status, part.headers.get('content-length')]).toEqual([206, '10']);
});

test('accepts the session cookie of the owner', async () => {
  const answer = await fetch(url, { headers: { cookie: client.member.cookie, range: 'bytes=0-0' } });
  expect(answer.status).toBe(206);
  const stranger = await world.client();
  expect((await fetch(url, { headers: { cookie: stranger.member.cookie } })).status).toBe(404);
});

test('a disconnecting client does not affect the next request', async () => {
  const controller = new AbortController();
  const answer = await fetch(url, { headers: { authorization }, signal: controller.signal });
  controller.abort();
  await answer.bytes().catch(() => {});
  expect((await get()).status).toBe(200);
});

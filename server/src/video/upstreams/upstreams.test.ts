import { describe, expect, test } from 'bun:test';
import { type VideoRequest, videoRequestSchema } from '../request.ts';
import { demoVideos, progressAt } from './demo.ts';
import { askJson, cleanMessage, messageOf } from './http.ts';
import type { FaultKind, Order, Target } from './kind.ts';
import * as openai from './openai.ts';
import * as openrouter from './openrouter.ts';

const target: Target = { baseUrl: 'https://up.test/v1', credential: 'c', modelName: 'up', timeoutMs: 10_000 };
const requestOf = (fields: object): VideoRequest => videoRequestSchema.parse({ model: 'm', prompt: 'p', ...fields });
const orderOf = (fields: object): Order => ({ jobId: 'job-1', request: requestOf(fields), seconds: 8 });
const frame = (url: string, frame_type = 'first_frame') => ({ frame_type, image_url: { url } });
const reference = (url: string) => ({ type: 'image_url', image_url: { url } });

describe('OpenAI', () => {
  test.each([
    [{}, undefined],
    [{ size: '1280x720' }, '1280x720'],
    [{ aspect_ratio: '9:16' }, '720x1280'],
    [{ resolution: '1080p' }, '1920x1080'],
    [{ resolution: '480p', aspect_ratio: '1:1' }, '480x480'],
  ])('size of %j', (fields, size) => {
    const { body, url, headers } = openai.toUpstream(orderOf(fields), target);
    expect(body).toEqual({ model: 'up', prompt: 'p', seconds: '8', ...(size && { size }) });
    expect([url, headers]).toEqual(['https://up.test/v1/videos', { 'idempotency-key': 'job-1' }]);
  });

  test('an inline image is sent as a file, else its URL is sent', async () => {
    const form = openai.toUpstream(orderOf({ frame_images: [frame('data:image/png;base64,AQID')] }), target)
      .body as FormData;
    const file = form.get('input_reference') as File;
    expect([file.type, file.name, [...(await file.bytes())]]).toEqual(['image/png', 'reference.png', [1, 2, 3]]);
    expect(form.get('model')).toBe('up');
    const { body } = openai.toUpstream(orderOf({ input_references: [reference('https://a.test/b.png')] }), target);
    expect(body).toMatchObject({ input_reference: { image_url: 'https://a.test/b.png' } });
  });

  test('reports which requests it cannot express', () => {
    const can = (fields: object) => openai.openaiVideos.canSay(requestOf(fields));
    expect(can({})).toBe(true);
    expect(can({ frame_images: [frame('https://a.test/a.png')] })).toBe(true);
    expect(can({ frame_images: [frame('https://a.test/a.png', 'last_frame')] })).toBe(false);
    expect(can({ input_references: [reference('https://a.test/a.png'), reference('https://a.test/b.png')] })).toBe(
      false,
    );
    const film = { type: 'video_url', video_url: { url: 'https://a.test/a.mp4' } };
    expect(can({ input_references: [film] })).toBe(false);
  });

  test('reads responses', () => {
    expect(openai.takenFrom({ id: 'v1', status: 'queued' })).toEqual({ upstreamId: 'v1', pollUrl: '' });
    expect(openai.fromUpstream({ id: 'v1', status: 'queued', progress: 0 })).toEqual({ status: 'pending', percent: 0 });
    expect(openai.fromUpstream({ id: 'v1', status: 'failed', error: { message: 'no' } })).toEqual({
      status: 'failed',
      error: 'no',
    });
    expect(openai.fromUpstream({ id: 'v1', status: 'failed', error: null })).toMatchObject({
      error: expect.any(String),
    });
  });
});

describe('OpenRouter', () => {
  test('sends the request without our own fields', () => {
    const fields = { size: '1280x720', resolution: '720p', callback_url: 'https://a.test', user: 'u', provider: {} };
    const { body } = openrouter.toUpstream(orderOf({ ...fields, seed: 3, generate_audio: true }), target);
    expect(JSON.parse(JSON.stringify(body))).toEqual({
      ...{ model: 'up', prompt: 'p', size: '1280x720', seed: 3, generate_audio: true, duration: 8 },
    });
  });

  test('sends the credential only to its own host', () => {
    const taken = (polling_url?: string) =>
      openrouter.takenFrom({ id: 'j', status: 'pending', polling_url }, target).pollUrl;
    expect(taken('/v1/videos/j')).toBe('https://up.test/v1/videos/j');
    expect(taken('https://up.test/x')).toBe('https://up.test/x');
    expect(taken('https://evil.test/x')).toBe('');
    expect(taken()).toBe('');
  });

  test('reads responses', () => {
    const read = (fields: object) => openrouter.fromUpstream({ id: 'j', ...fields });
    expect(read({ status: 'completed', unsigned_urls: ['a', 'b'] })).toEqual({ status: 'completed', urls: ['a', 'b'] });
    expect(read({ status: 'failed', error: 'no' })).toEqual({ status: 'failed', error: 'no' });
    expect(read({ status: 'expired' })).toMatchObject({ status: 'failed', error: expect.stringContaining('expired') });
  });
});

test('an unreadable response is an upstream fault', () => {
  for (const body of [null, 5, 'x', [], {}, { id: '' }, { id: 'a', status: 'odd' }, { id: 5, status: 'queued' }]) {
    expect(() => openai.fromUpstream(body)).toThrow('unknown form');
    expect(() => openrouter.fromUpstream(body)).toThrow('unknown form');
  }
});

test('the built-in provider’s progress depends only on the clock', async () => {
  const at = (ms: number) => progressAt({ submittedAtMs: 1_000 }, 1_000 + ms).status;
  expect([at(0), at(1_500), at(3_000), at(1e9)]).toEqual(['pending', 'in_progress', 'completed', 'completed']);
  const io = { nowMs: () => 0, signal: new AbortController().signal, allowPrivate: false };
  const make = async (fields: object) => {
    const order = { ...orderOf(fields), seconds: 1 };
    const submission = { upstreamId: '', pollUrl: '', submittedAtMs: 0 };
    const { bytes } = await demoVideos.fetch(0, order, submission, { status: 'completed' }, target, io);
    return Bun.hash(bytes as Uint8Array<ArrayBuffer>);
  };
  const size = { size: '64x64' };
  expect(await make({ ...size, seed: 1 })).toBe(await make({ ...size, seed: 1 }));
  expect(await make({ ...size, seed: 1 })).not.toBe(await make({ size: '64x32', seed: 1 }));
  expect(await make(size)).not.toBe(await make({ ...size, prompt: 'another' }));
});

test('error messages are extracted, cleaned and free of credentials', () => {
  expect(messageOf('{"error":{"message":"a"}}')).toBe('a');
  expect(messageOf('{"error":"b"}')).toBe('b');
  expect(messageOf('{"message":"c"}')).toBe('c');
  expect(messageOf('<html>')).toBeNull();
  expect(messageOf('null')).toBeNull();
  expect(cleanMessage('key sk-abcdefghijkl\n\u0000bad')).toBe('key sk-[redacted] bad');
  expect(cleanMessage('x'.repeat(2_000))).toHaveLength(500);
});

test('classifies rejected submissions', async () => {
  const cases: [number, unknown, FaultKind][] = [
    [400, { error: { message: 'no' } }, 'caller'],
    [409, { error: { message: 'no' } }, 'caller'],
    [422, { detail: 'no' }, 'caller'],
    [403, { error: { message: 'Your prompt was flagged' } }, 'caller'],
    [500, { error: { message: 'no', type: 'invalid_request_error' } }, 'caller'],
    [502, { error: { message: 'no', code: 'content_policy_violation' } }, 'caller'],
    [500, { error: { message: 'Failed to download image from https://x/y.png' } }, 'caller'],
    [429, {}, 'busy'],
    [401, {}, 'auth'],
    [402, { error: { message: 'Insufficient credits' } }, 'auth'],
    [403, {}, 'auth'],
    [404, {}, 'gone'],
    [405, {}, 'failure'],
    [408, {}, 'timeout'],
    [500, {}, 'failure'],
    [503, { error: { message: 'overloaded' } }, 'failure'],
  ];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      const [status, body] = cases[Number(new URL(request.url).pathname.slice(1))]!;
      return Response.json(body, { status });
    },
  });
  const baseUrl = `http://127.0.0.1:${server.port}`;
  const io = { nowMs: () => 0, allowPrivate: false, signal: new AbortController().signal };
  for (const [i, [status, body, kind]] of cases.entries()) {
    const asked = askJson({ method: 'POST', url: `${baseUrl}/${i}`, body: {} }, { ...target, baseUrl }, io);
    const fault = await asked.then(String, (error) => error.kind);
    expect([status, body, fault]).toEqual([status, body, kind]);
  }
  await server.stop(true);
});

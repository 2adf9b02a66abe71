/** Malformed bodies on every endpoint: 4xx in the format of the endpoint, and no upstream is called. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Json } from '../server/src/relay/wire/conversation.ts';
import { says } from './relay-replies.ts';
import { type Service, startService } from './service.ts';
import { startUpstream, type Upstream } from './upstream.ts';

let service: Service;
let upstream: Upstream;
let model: string;
beforeAll(async () => {
  service = await startService({ env: { DEMO_PROVIDER: 'on' } });
  upstream = startUpstream(says('openai', { text: 'fine' }));
  ({ modelId: model } = await service.serve({ kind: 'openai', url: upstream.url }));
});
afterAll(async () => {
  upstream?.stop();
  await service?.stop();
});

// biome-ignore lint/suspicious/noExplicitAny: answers are read as clients read them, field by field
type Loose = any;
const hi = [{ role: 'user', content: 'hi' }];

interface Place {
  path: string;
  good: Json;
  /** The field with the main input. */
  main: string;
}
const places: Place[] = [
  { path: '/v1/chat/completions', good: { model: 'demo/chat', messages: hi }, main: 'messages' },
  { path: '/v1/completions', good: { model: 'demo/chat', prompt: 'hi' }, main: 'prompt' },
  { path: '/v1/messages', good: { model: 'demo/chat', messages: hi, max_tokens: 9 }, main: 'messages' },
  { path: '/v1/responses', good: { model: 'demo/chat', input: 'x' }, main: 'input' },
  { path: '/v1/messages/count_tokens', good: { model: 'demo/chat', messages: hi }, main: 'messages' },
  { path: '/v1/embeddings', good: { model: 'demo/embed', input: 'x' }, main: 'input' },
  { path: '/v1/images/generations', good: { model: 'demo/image', prompt: 'x' }, main: 'prompt' },
  { path: '/v1/audio/speech', good: { model: 'demo/speech', input: 'x', voice: 'alloy' }, main: 'input' },
  { path: '/v1/moderations', good: { model: 'demo/moderation', input: 'x' }, main: 'input' },
  { path: '/v1/rerank', good: { model: 'demo/rerank', query: 'x', documents: ['a'] }, main: 'documents' },
];

async function refused(path: string, body: string | Uint8Array | Json, headers: Record<string, string> = {}) {
  const answer = await service.post(path, body, { headers });
  const text = await answer.text();
  if (answer.status < 400 || answer.status >= 500) throw new Error(`${path}: ${answer.status} ${text.slice(0, 200)}`);
  expect(answer.headers.get('x-request-id')).toBeTruthy();
  const json = JSON.parse(text) as Loose;
  if (path.startsWith('/v1/messages')) {
    expect(json).toMatchObject({ type: 'error', error: { type: expect.any(String), message: expect.any(String) } });
    expect(json.request_id).toBe(answer.headers.get('x-request-id'));
  } else
    expect(json.error).toMatchObject({
      message: expect.any(String),
      type: 'invalid_request_error',
      code: expect.any(String),
    });
  // Parsed again, because matchers change the value they are compared with.
  return { status: answer.status, error: (JSON.parse(text) as Loose).error };
}

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe.each(places)('$path', ({ path, good, main }) => {
  test('a valid body is accepted', async () => {
    expect((await service.post(path, good)).status).toBe(200);
  });

  test('rejects bodies that are empty, not JSON, not an object or not UTF-8', async () => {
    for (const body of ['', '{', 'null', '[]', '"text"', '42', '{"model":}', 'model=x', '\0', '{"a":1}}']) {
      expect((await refused(path, body)).status).toBe(400);
    }
    const bytes = Buffer.from(JSON.stringify(good).replace('x', '?').replace('hi', '??'));
    bytes[bytes.indexOf('?')] = 0xff;
    expect((await refused(path, bytes)).status).toBe(400);
  });

  test('names a missing field', async () => {
    for (const name of Object.keys(good)) {
      // Endpoints other than chat and messages have a default model.
      if (name === 'model' && !path.includes('chat') && !path.includes('messages')) continue;
      const { [name]: _, ...rest } = good;
      const { status, error } = await refused(path, rest);
      expect(status).toBe(400);
      if (error.param !== undefined) expect(error.param).toContain(name);
      else expect(error.message).toContain(name);
    }
  });

  test('rejects wrong types and extreme values', async () => {
    for (const name of Object.keys(good)) {
      for (const value of [{}, 1e308, -1, true, [[]], [null], { toString: 1 }]) {
        await refused(path, { ...good, [name]: value }).catch((error) => {
          // A whole number or true may be valid for some fields.
          if (!/: 200 /.test(String(error))) throw error;
        });
      }
    }
    for (const extra of [
      '"temperature":1e999',
      '"max_tokens":-1',
      '"max_tokens":1e308',
      '"n":1e15',
      '"stream":"yes"',
    ]) {
      const answer = await service.post(path, `${JSON.stringify(good).slice(0, -1)},${extra}}`);
      expect(answer.status).toBeLessThan(500);
      await answer.text();
    }
  });

  test('survives deep nesting, long lists and NUL characters', async () => {
    await refused(path, JSON.stringify(good).replace(/\}$/, `,"${main}":${nested(100_000)}}`));
    await refused(path, nested(1_000_000));
    const deep = await service.post(path, JSON.stringify(good).replace(/\}$/, `,"metadata":${nested(50_000)}}`));
    expect(deep.status).toBeLessThan(500);
    const many = Array.from({ length: 100_000 }, () => 1);
    await refused(path, { ...good, [main]: many });
    const nul = await service.post(
      path,
      JSON.stringify(good).replaceAll('hi', 'a\\u0000b').replaceAll('"x"', '"a\\u0000b"'),
    );
    expect(nul.status).toBeLessThan(500);
  });

  test('accepts compressed bodies and limits their expanded size', async () => {
    const gzip = { 'content-encoding': 'gzip' };
    expect((await service.post(path, Bun.gzipSync(JSON.stringify(good)), { headers: gzip })).status).toBe(200);
    const zstd = Bun.zstdCompressSync(JSON.stringify(good));
    expect((await service.post(path, zstd, { headers: { 'content-encoding': 'zstd' } })).status).toBe(200);
    expect((await refused(path, 'not gzip at all', gzip)).status).toBe(400);
    const unknown = await refused(path, JSON.stringify(good), { 'content-encoding': 'lzma' });
    expect(unknown.status).toBe(415);
    const bomb = Bun.gzipSync(`{"model":"x","pad":"${' '.repeat(80 * 1024 * 1024)}"}`);
    expect(bomb.length).toBeLessThan(200_000);
    expect((await refused(path, bomb, gzip)).status).toBe(413);
  });

  test('returns 404 for unknown models and 401 for wrong keys', async () => {
    for (const name of ['no/such', 'constructor', '__proto__', 'toString'])
      expect((await refused(path, { ...good, model: name })).status).toBe(404);
    const answer = await service.post(path, good, { key: 'sk-wrong' });
    expect(answer.status).toBe(401);
    await answer.text();
  });
});

test('no rejected request reached an upstream, and the service still answers', async () => {
  expect(upstream.asked.length).toBe(0);
  expect((await service.post('/v1/chat/completions', { model, messages: hi })).status).toBe(200);
  expect(service.output()).not.toContain('Internal error');
});

test('accepts upload parts of 64 MiB, as sent by the OpenAI Python library', async () => {
  const bytes = 64 * 1024 * 1024;
  const about = { bytes, filename: 'a', mime_type: 'text/plain', purpose: 'user_data' };
  const { id } = (await (await service.post('/v1/uploads', about)).json()) as { id: string };
  const form = new FormData();
  form.set('data', new File([new Uint8Array(bytes)], 'part'));
  const headers = { authorization: `Bearer ${service.key}` };
  const parts = `${service.url}/v1/uploads/${id}/parts`;
  expect((await fetch(parts, { method: 'POST', headers, body: form })).status).toBe(200);
  expect((await service.post(`/v1/uploads/${id}/cancel`, {})).status).toBe(200);
});

test('a body above 66 MiB is rejected, and the service still answers', async () => {
  const body = new Uint8Array(70 * 1024 * 1024).fill(32);
  const answer = await service.post('/v1/chat/completions', body).catch(() => null);
  if (answer) expect(answer.status).toBe(413);
  expect((await service.post('/v1/chat/completions', { model, messages: hi })).status).toBe(200);
});

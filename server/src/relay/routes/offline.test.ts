import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openRelayTest, type RelayTest } from '../endpoints/relay.fixture.ts';
import type { Json } from '../wire/conversation.ts';

let relay: RelayTest;
beforeAll(async () => {
  relay = await openRelayTest();
});
afterAll(() => relay.close());

const post = async (path: string, body: unknown): Promise<Json> => {
  const answer = await relay.post(path, body);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-request-id')).toStartWith('req_');
  return (await answer.json()) as Json;
};

const form = (fields: Record<string, string>, file: Blob): FormData => {
  const form = new FormData();
  form.set('file', file, 'sound.wav');
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
};

describe('every endpoint works with the built-in provider and no balance', () => {
  test('embeddings', async () => {
    const answer = await post('/v1/embeddings', { model: 'demo/embed', input: ['a cat', 'a dog'] });
    const data = answer.data as { index: number; embedding: number[] }[];
    expect(data.map(({ index }) => index)).toEqual([0, 1]);
    expect(data[0]!.embedding.length).toBe(256);
    expect(answer.model).toBe('demo/embed');
  });

  test('rerank', async () => {
    const documents = ['bananas are yellow', { text: 'the sky is blue' }, 'grass'];
    const answer = await post('/v1/rerank', { model: 'demo/rerank', query: 'blue sky', documents, top_n: 50 });
    const results = answer.results as { index: number; relevance_score: number; document: { text: string } }[];
    expect(results.length).toBe(3);
    expect(results[0]).toMatchObject({ index: 1, document: { text: 'the sky is blue' } });
    const bare = await post('/v1/rerank', { model: 'demo/rerank', query: 'x', documents, return_documents: false });
    expect((bare.results as Json[])[0]!.document).toBeUndefined();
  });

  test('moderations, with and without a model', async () => {
    const parts = [{ type: 'text', text: 'i will kill you' }];
    for (const body of [{ input: 'hello' }, { model: 'demo/moderation', input: parts }, { input: ['a', 'b'] }]) {
      const answer = await post('/v1/moderations', body);
      const results = answer.results as { flagged: boolean; categories: Json; category_scores: Json }[];
      expect(answer.model).toBe('demo/moderation');
      expect(results[0]!.flagged).toBe(body.input === parts);
      expect(Object.keys(results[0]!.categories).length).toBe(13);
      expect(Object.keys(results[0]!.category_scores).length).toBe(13);
    }
  });

  test('images', async () => {
    const answer = await post('/v1/images/generations', { model: 'demo/image', prompt: 'a cat', size: '64x64', n: 2 });
    const data = answer.data as { url: string }[];
    expect(new Set(data.map(({ url }) => url)).size).toBe(2);
    const image = await relay.test.call(new URL(data[0]!.url).pathname);
    expect(image.status).toBe(200);
    expect(image.headers.get('content-type')).toBe('image/png');
    const bytes = new Uint8Array(await image.arrayBuffer());
    expect(Buffer.from(bytes.slice(1, 4)).toString()).toBe('PNG');
    expect(image.headers.get('content-length')).toBe(`${bytes.length}`);
  });

  test('speech, and its transcription in every format', async () => {
    const speech = await relay.post('/v1/audio/speech', {
      model: 'demo/speech',
      input: 'Good morning to you.',
      voice: 'alloy',
      response_format: 'wav',
    });
    expect(speech.status).toBe(200);
    expect(speech.headers.get('content-type')).toBe('audio/wav');
    const sound = new Blob([await speech.arrayBuffer()]);
    const types = {
      json: 'application/json',
      verbose_json: 'application/json',
      text: 'text/plain; charset=utf-8',
      srt: 'application/x-subrip; charset=utf-8',
      vtt: 'text/vtt; charset=utf-8',
    };
    for (const path of ['/v1/audio/transcriptions', '/v1/audio/translations']) {
      for (const [response_format, type] of Object.entries(types)) {
        const answer = await relay.post(path, form({ model: 'demo/transcribe', response_format }, sound));
        expect(answer.status).toBe(200);
        expect(answer.headers.get('content-type')).toBe(type);
        expect(await answer.text()).toContain('simulated');
      }
    }
  });

  test('count_tokens', async () => {
    const messages = [{ role: 'user', content: 'How many tokens are these words?' }];
    const answer = await post('/v1/messages/count_tokens', { model: 'demo/chat', messages });
    expect(answer.input_tokens).toBeGreaterThan(6);
  });
});

describe('errors in the format of the endpoint', () => {
  const paths = ['embeddings', 'rerank', 'moderations', 'images/generations', 'audio/speech'].map(
    (name) => `/v1/${name}`,
  );

  test('401 without a key, in both formats', async () => {
    for (const path of [...paths, '/v1/audio/transcriptions', '/v1/audio/translations']) {
      const answer = await relay.test.call(path, { method: 'POST', body: {} });
      expect([answer.status, ((await answer.json()) as { error: Json }).error.code]).toEqual([401, 'invalid_api_key']);
    }
    const answer = await relay.test.call('/v1/messages/count_tokens', { method: 'POST', body: {} });
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ type: 'error', error: { type: 'authentication_error' } });
  });

  test('4xx for a body that is not JSON, not an object, or of the wrong type', async () => {
    for (const path of paths) {
      for (const body of ['{"model":', '[]', '"x"', 'null', '']) {
        const answer = await relay.post(path, body);
        expect(answer.status).toBe(400);
      }
      const answer = await relay.post(path, 'a=b', {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      expect(answer.status).toBe(415);
    }
    const asJson = await relay.post('/v1/audio/transcriptions', { model: 'demo/transcribe' });
    expect(asJson.status).toBe(415);
    const broken = await relay.post('/v1/audio/transcriptions', 'nonsense', {
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    });
    expect(broken.status).toBe(400);
  });

  test('413 above the size limits', async () => {
    const large = 'x'.repeat(32 * 1024 * 1024);
    const answer = await relay.post('/v1/embeddings', { model: 'demo/embed', input: large });
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({
      error: { type: 'invalid_request_error', code: 'request_too_large', param: null },
    });
    const sound = new Blob([new Uint8Array(26 * 1024 * 1024)]);
    const upload = await relay.post('/v1/audio/transcriptions', form({ model: 'demo/transcribe' }, sound));
    expect(upload.status).toBe(413);
  });

  test('400 names the invalid parameter', async () => {
    const texts = (count: number) => Array.from({ length: count }, () => 'x');
    const cases: [path: string, body: Json, param: string][] = [
      ['/v1/embeddings', { input: 'x' }, 'model'],
      ['/v1/embeddings', { model: 'demo/embed' }, 'input'],
      ['/v1/embeddings', { model: 'demo/embed', input: '' }, 'input'],
      ['/v1/embeddings', { model: 'demo/embed', input: [] }, 'input'],
      ['/v1/embeddings', { model: 'demo/embed', input: ['a', ''] }, 'input[1]'],
      ['/v1/embeddings', { model: 'demo/embed', input: [[1, 2], [-1]] }, 'input[1]'],
      ['/v1/embeddings', { model: 'demo/embed', input: texts(2049) }, 'input'],
      ['/v1/embeddings', { model: 'demo/embed', input: 'x', dimensions: 0 }, 'dimensions'],
      ['/v1/embeddings', { model: 'demo/embed', input: 'x', encoding_format: 'hex' }, 'encoding_format'],
      ['/v1/embeddings', { model: 'demo/embed', input: 'x', provider: { sort: 'luck' } }, 'provider.sort'],
      ['/v1/rerank', { model: 'demo/rerank', documents: ['x'] }, 'query'],
      ['/v1/rerank', { model: 'demo/rerank', query: 'x', documents: [] }, 'documents'],
      ['/v1/rerank', { model: 'demo/rerank', query: 'x', documents: texts(1001) }, 'documents'],
      ['/v1/rerank', { model: 'demo/rerank', query: 'x', documents: [1] }, 'documents[0]'],
      ['/v1/rerank', { model: 'demo/rerank', query: 'x', documents: ['x'], top_n: 0 }, 'top_n'],
      ['/v1/moderations', {}, 'input'],
      ['/v1/moderations', { input: [{}] }, 'input[0]'],
      ['/v1/images/generations', {}, 'prompt'],
      ['/v1/images/generations', { prompt: 'x', n: 11 }, 'n'],
      ['/v1/images/generations', { prompt: 'x', n: 1.5 }, 'n'],
      ['/v1/images/generations', { prompt: 'x', size: 'big' }, 'size'],
      ['/v1/images/generations', { prompt: 'x', response_format: 'gif' }, 'response_format'],
      ['/v1/images/generations', { prompt: 'x', stream: 'yes' }, 'stream'],
      ['/v1/images/generations', { prompt: 'x', stream: true, partial_images: 4 }, 'partial_images'],
      ['/v1/audio/speech', { model: 'demo/speech', voice: 'a' }, 'input'],
      ['/v1/audio/speech', { model: 'demo/speech', input: 'x' }, 'voice'],
      ['/v1/audio/speech', { model: 'demo/speech', input: 'x', voice: 'a', speed: 5 }, 'speed'],
      ['/v1/audio/speech', { model: 'demo/speech', input: 'x', voice: 'a', response_format: 'x' }, 'response_format'],
    ];
    for (const [path, body, param] of cases) {
      const answer = await relay.post(path, body);
      const { error } = (await answer.json()) as { error: Json };
      expect([path, answer.status, error.type, error.param]).toEqual([path, 400, 'invalid_request_error', param]);
    }
    const sound = new Blob(['x']);
    const forms: [Record<string, string>, Blob, string][] = [
      [{}, sound, 'model'],
      [{ model: 'demo/transcribe' }, new Blob([]), 'file'],
      [{ model: 'demo/transcribe', response_format: 'xml' }, sound, 'response_format'],
      [{ model: 'demo/transcribe', temperature: '9' }, sound, 'temperature'],
      [{ model: 'demo/transcribe', provider: '{' }, sound, 'provider'],
    ];
    for (const [fields, file, param] of forms) {
      const answer = await relay.post('/v1/audio/transcriptions', form(fields, file));
      const { error } = (await answer.json()) as { error: Json };
      expect([answer.status, error.param]).toEqual([400, param]);
    }
  });

  test('404 for a model that does not exist or has another type', async () => {
    for (const model of ['nobody/knows', 'demo/chat']) {
      const answer = await relay.post('/v1/embeddings', { model, input: 'x' });
      const { error } = (await answer.json()) as { error: Json };
      expect([answer.status, error.code, error.param]).toEqual([404, 'model_not_found', 'model']);
    }
    const counted = await relay.post('/v1/messages/count_tokens', {
      model: 'nobody/knows',
      messages: [{ role: 'user', content: 'x' }],
    });
    expect(counted.status).toBe(404);
    expect(await counted.json()).toMatchObject({ type: 'error', error: { type: 'not_found_error' } });
  });

  test('403 for a model that the key may not use', async () => {
    const key = await relay.member.key({ models: ['demo/chat'] });
    const headers = { authorization: `Bearer ${key}` };
    const answer = await relay.post('/v1/embeddings', { model: 'demo/embed', input: 'x' }, { headers });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ error: { type: 'permission_error', code: 'model_not_allowed' } });
    // Where no model is named, none outside the list is chosen.
    const unnamed = await relay.post('/v1/moderations', { input: 'x' }, { headers });
    expect(unnamed.status).toBe(404);
  });

  test('429 with all retry headers', async () => {
    const key = await relay.member.key();
    const headers = { authorization: `Bearer ${key}` };
    await relay.test.setOption('RateLimitV1', 1);
    try {
      await relay.post('/v1/moderations', { input: 'x' }, { headers });
      const answer = await relay.post('/v1/moderations', { input: 'x' }, { headers });
      expect(answer.status).toBe(429);
      expect(await answer.json()).toMatchObject({ error: { type: 'rate_limit_error', code: 'rate_limit_exceeded' } });
      for (const name of ['retry-after', 'retry-after-ms', 'x-ratelimit-limit-requests', 'ratelimit-reset'])
        expect(answer.headers.get(name)).not.toBeNull();
    } finally {
      await relay.test.setOption('RateLimitV1', 240);
    }
  });
});

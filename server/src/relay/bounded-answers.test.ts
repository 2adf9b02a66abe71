import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { brotliCompressSync, constants } from 'node:zlib';
import { openRelayTest, type RelayTest } from './endpoints/relay.fixture.ts';
import { addUpstream, type Script, type ScriptedUpstream, scriptedUpstream } from './scripted-upstream.fixture.ts';
import type { Json } from './wire/conversation.ts';

const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const largest = Buffer.alloc(100 * 1024 * 1024, 97);
largest.write('{"text":"');
const packed = brotliCompressSync(largest, fast) as Uint8Array<ArrayBuffer>;

/** Bytes that were asked for of an answer without end. */
let given = 0;
const endless =
  (type: string, status = 200): Script =>
  () => {
    given = 0;
    const piece = new Uint8Array(1_048_576).fill(97);
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      given += piece.length;
      controller.enqueue(piece);
    };
    return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), {
      status,
      headers: { 'content-type': type },
    });
  };
const bomb =
  (type: string): Script =>
  () =>
    new Response(packed, { headers: { 'content-type': type, 'content-encoding': 'br' } });

interface Endpoint {
  path: string;
  type: string;
  body: Json;
  kind?: string;
  /** Of the answer, where it is not JSON. */
  answers?: string;
}

const messages = [{ role: 'user', content: 'hi' }];
const endpoints: Endpoint[] = [
  { path: '/v1/chat/completions', type: 'chat', body: { messages } },
  { path: '/v1/chat/completions', type: 'chat', body: { messages, stream: true }, answers: 'text/event-stream' },
  { path: '/v1/messages', type: 'chat', body: { messages, max_tokens: 5 }, kind: 'anthropic' },
  { path: '/v1/chat/completions', type: 'chat', body: { messages, max_tokens: 6 }, kind: 'gemini' },
  { path: '/v1/embeddings', type: 'embedding', body: { input: 'tea' } },
  { path: '/v1/rerank', type: 'rerank', body: { query: 'tea', documents: ['a', 'b'] } },
  { path: '/v1/moderations', type: 'moderation', body: { input: 'tea' } },
  { path: '/v1/images/generations', type: 'image', body: { prompt: 'tea' } },
  { path: '/v1/audio/speech', type: 'speech', body: { input: 'tea', voice: 'alloy' } },
  { path: '/v1/audio/transcriptions', type: 'transcription', body: {} },
];

const nameOf = ({ path, kind = 'openai', answers = 'json' }: Endpoint): string => `${path}, ${kind}, ${answers}`;

let relay: RelayTest;
let upstream: ScriptedUpstream;
let models = 0;
beforeAll(async () => {
  relay = await openRelayTest();
  await relay.credit(10_000_000);
  upstream = scriptedUpstream();
});
afterAll(async () => {
  await relay.close();
  await upstream.close();
});

/** Each on a channel of its own, so that no breaker opens. */
async function ask({ path, type, body, kind = 'openai' }: Endpoint): Promise<Response> {
  models += 1;
  const model_id = `acme/model-${models}`;
  await addUpstream(relay.test, upstream.url, [{ model_id, type, request_price: 0.01, prompt_price: 1 }], { kind });
  if (type !== 'transcription') return relay.post(path, { model: model_id, ...body });
  const form = new FormData();
  form.set('model', model_id);
  form.set('file', new File([new Uint8Array(1_000)], 'a.wav'));
  return relay.post(path, form);
}

async function failsAsProvider(endpoint: Endpoint): Promise<void> {
  const before = await relay.money();
  const answer = await ask(endpoint);
  expect([answer.status, ((await answer.json()) as { error: Json }).error]).toMatchObject([
    502,
    { type: expect.any(String) },
  ]);
  expect(await relay.money()).toEqual(before);
  await upstream.seen.at(-1)!.aborted;
}

describe.each(endpoints.map((each) => [nameOf(each), each] as const))('%s', (_, endpoint) => {
  const type = endpoint.answers ?? 'application/json';

  test('an endless answer is aborted and not charged', async () => {
    upstream.answer(endless(type));
    await failsAsProvider(endpoint);
    expect(given).toBeLessThan(90 * 1024 * 1024);
  });

  test('an answer that is too large after decompression is aborted and not charged', async () => {
    upstream.answer(bomb(type));
    const before = await relay.money();
    const answer = await ask(endpoint);
    expect(answer.status).toBe(502);
    expect(await relay.money()).toEqual(before);
  });

  test('an endless error body is truncated and its status is kept', async () => {
    upstream.answer(endless(type, 400));
    const answer = await ask(endpoint);
    expect(answer.status).toBe(400);
    await upstream.seen.at(-1)!.aborted;
    expect(given).toBeLessThan(16 * 1024 * 1024);
  });
});

describe('other calls to upstreams', () => {
  test('an endless answer to a token count falls back to the local count', async () => {
    upstream.answer(endless('application/json'));
    const count = { path: '/v1/messages/count_tokens', type: 'chat', body: { messages }, kind: 'anthropic' };
    expect((await ask(count)).status).toBe(200);
    await upstream.seen.at(-1)!.aborted;
  });

  test.each(['test', 'sync-models'])('an endless answer ends an administrator’s %s', async (tool) => {
    const id = await addUpstream(relay.test, upstream.url, [{ model_id: `acme/${tool}`, model_name: 'm-1' }]);
    upstream.answer(endless('application/json'));
    const root = await relay.test.root();
    const answer = await root.call(`/api/admin/channels/${id}/${tool}`, { method: 'POST', body: {} });
    expect(await answer.text()).toContain('larger than');
    await upstream.seen.at(-1)!.aborted;
  });
});

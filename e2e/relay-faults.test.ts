/** Upstreams that fail in every known way, and clients that disconnect. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Json } from '../server/src/relay/wire/conversation.ts';
import { openaiChunk, says } from './relay-replies.ts';
import { type Caller, type ModelSetup, type Service, startService, until } from './service.ts';
import {
  events,
  nobodyListens,
  refuse,
  type Script,
  silence,
  startResetting,
  startUpstream,
  type Upstream,
} from './upstream.ts';

let service: Service;
let sound: Upstream;
let resetting: ReturnType<typeof startResetting>;
const upstreams: Upstream[] = [];

beforeAll(async () => {
  service = await startService();
  sound = startUpstream(says('openai', { text: 'from the second' }));
  resetting = startResetting();
});
afterAll(async () => {
  for (const upstream of [sound, ...upstreams]) upstream?.stop();
  resetting?.stop();
  await service?.stop();
});

// biome-ignore lint/suspicious/noExplicitAny: answers are read as clients read them, field by field
type Loose = any;
const chat = '/v1/chat/completions';
const hi = [{ role: 'user', content: 'hi' }];
const sixty = Array.from({ length: 60 }, (_, i) => `word${i}`).join(' ');

function scripted(script: Script): Upstream {
  const upstream = startUpstream(script);
  upstreams.push(upstream);
  return upstream;
}

/** Short only for expected timeouts: on a busy machine anything else may take longer than a second. */
const patienceMs = (runsOut: boolean): number => (runsOut ? 1_000 : 60_000);
const priced = { promptPrice: 100, completionPrice: 100 };

/** A model whose first candidate is the given one; the second always answers. */
async function pair(url: string, setup: Partial<ModelSetup> = {}) {
  const first = await service.serve({ kind: 'openai', url, ...setup });
  const second = await service.serve({ kind: 'openai', url: sound.url, modelId: first.modelId });
  return { model: first.modelId, provider: { order: [first.provider, second.provider] }, first };
}

/** The candidate as an administrator sees it. */
async function circuitOf(model: string, provider: string): Promise<string> {
  const query = `model_id=${encodeURIComponent(model)}&provider=${provider}`;
  const { metrics } = await service.root.api<{ metrics: Loose[] }>(`/api/routing/metrics?${query}`);
  return metrics[0].circuit_state;
}

const logsOf = async (user: Caller): Promise<Loose[]> => (await user.api<{ logs: Loose[] }>('/api/usage/logs')).logs;

async function read(response: Response) {
  const text = await response.text();
  const data = [...text.matchAll(/^data: (.*)$/gm)].map((match) => match[1]!);
  return { text, data, last: data.at(-1) === '[DONE]' ? null : (JSON.parse(data.at(-1) ?? 'null') as Loose) };
}

const secret = { error: { message: 'account org-secret-7 of sk-upstream-secret-1 is in trouble' } };
const faults: [string, () => string, number, string][] = [
  [
    '429 with Retry-After',
    () => scripted(() => refuse(429, secret, { 'retry-after': '9' })).url,
    429,
    'capacity_exhausted',
  ],
  ['429 without Retry-After', () => scripted(() => refuse(429, secret)).url, 429, 'capacity_exhausted'],
  ['500', () => scripted(() => refuse(500, secret)).url, 502, 'provider_error'],
  ['503', () => scripted(() => refuse(503, secret)).url, 502, 'provider_error'],
  ['401', () => scripted(() => refuse(401, secret)).url, 502, 'provider_error'],
  ['connection refused', nobodyListens, 502, 'provider_error'],
  ['connection reset', () => resetting.url, 502, 'provider_error'],
  ['no answer', () => scripted(silence).url, 504, 'timeout'],
  [
    '20 s to the first token',
    () => scripted(says('openai', { text: 'late' }, { firstAfterMs: 20_000 })).url,
    504,
    'timeout',
  ],
  ['an error with status 200', () => scripted(() => refuse(200, secret)).url, 502, 'provider_error'],
  ['HTML with status 200', () => scripted(() => new Response('<html>')).url, 502, 'provider_error'],
  ['an empty stream', () => scripted((asked) => events(asked, [])).url, 502, 'provider_error'],
];

describe.each(faults)('an upstream that returns %s', (name, url, status, code) => {
  const alwaysStreams = name.includes('token') || name.includes('stream');

  test('the next candidate answers, streamed or not, in both formats', async () => {
    const { model, provider } = await pair(url(), { timeoutMs: patienceMs(code === 'timeout') });
    const body = { model, provider, messages: hi, max_tokens: 9 };
    const asks = [chat, '/v1/messages'].flatMap((path) =>
      (alwaysStreams ? [true] : [false, true]).map(async (stream) => {
        const answer = await service.post(path, { ...body, stream });
        expect(answer.status).toBe(200);
        const text = await answer.text();
        // Streams carry the words one by one.
        expect(text.replace(/"[^"]*"(?=:)/g, '')).toContain('second');
      }),
    );
    await Promise.all(asks);
  });

  test('without another candidate, the right status is returned without upstream secrets', async () => {
    const { modelId } = await service.serve({ kind: 'openai', url: url(), timeoutMs: patienceMs(code === 'timeout') });
    const answer = await service.post(chat, { model: modelId, messages: hi, stream: alwaysStreams });
    const text = await answer.text();
    expect([answer.status, JSON.parse(text).error.code]).toEqual([status, code]);
    expect(text + JSON.stringify([...answer.headers])).not.toMatch(/secret|127\.0\.0\.1/);
    expect(service.output()).not.toContain('sk-upstream-secret');
    if (name === '429 with Retry-After') expect(answer.headers.get('retry-after')).toBe('9');
  });
});

describe('refusals caused by the request', () => {
  const refusals: [string, Json, string][] = [
    [
      'context length',
      { message: "This model's maximum context length is 8192 tokens", code: 'context_length_exceeded' },
      'context_length_exceeded',
    ],
    [
      'content filter',
      { message: 'The response was filtered: content management policy', code: 'content_filter' },
      'content_filter',
    ],
  ];
  test.each(refusals)('%s is returned to the caller at once and opens no circuit', async (_, error, code) => {
    const upstream = scripted(() => refuse(400, { error }));
    const { model, provider, first } = await pair(upstream.url);
    const before = sound.asked.length;
    for (let i = 0; i < 6; i++) {
      const answer = await service.post(chat, { model, provider, messages: hi, stream: i % 2 === 1 });
      expect(answer.status).toBe(400);
      expect(((await answer.json()) as Loose).error).toMatchObject({ type: 'invalid_request_error', code });
    }
    expect([upstream.asked.length, sound.asked.length]).toEqual([6, before]);
    expect(await circuitOf(model, first.provider)).toBe('closed');
  });
});

describe('a stream that breaks after its start', () => {
  const breaks: [string, Script][] = [
    ['cut after 40 of 60 chunks', says('openai', { text: sixty, usage: null }, { cutAfter: 41 })],
    ['closed after 40 of 60 chunks', says('openai', { text: sixty, usage: null }, { endAfter: 41 })],
    ['stalled', says('openai', { text: sixty, usage: null }, { stallAfter: 41 })],
    [
      'an error chunk',
      (asked) =>
        events(
          asked,
          [
            ...Array.from({ length: 40 }, (_, i) => openaiChunk({ content: ` word${i}` })),
            `data: ${JSON.stringify({ error: { message: 'sk-upstream-secret', code: 500 } })}\n\n`,
          ],
          { everyMs: 1 },
        ),
    ],
  ];
  test.each(breaks)(
    '%s: sends an error chunk, charges the produced part and counts a failure',
    async (name, script) => {
      const upstream = scripted(script);
      const { model, provider, first } = await pair(upstream.url, {
        ...priced,
        timeoutMs: patienceMs(name === 'stalled'),
      });
      const user = await service.user(1_000_000);
      const key = await user.key();
      const ask = () => service.post(chat, { model, provider, messages: hi, stream: true, max_tokens: 200 }, { key });
      const answer = await ask();
      expect(answer.status).toBe(200);
      const { text, last, data } = await read(answer);
      expect(data.filter((line) => line.includes('word')).length).toBe(40);
      expect(last.error.code).toBe(name === 'stalled' ? 'timeout' : 'provider_error');
      expect(last.choices[0].finish_reason).toBe('error');
      expect(text).not.toMatch(/\[DONE\]|secret/);

      await until('the request is in the log', async () => (await logsOf(user)).length === 1);
      const [log] = await logsOf(user);
      expect(log.status).toBe('interrupted');
      expect(log.completion_tokens).toBeGreaterThan(40);
      expect(log.completion_tokens).toBeLessThan(160);
      const self = await service.self(user);
      expect(self.used_quota).toBe(log.quota);
      expect(self.quota + self.used_quota).toBe(1_000_000);

      await Promise.all([1, 2, 3].map(async () => (await ask()).text()));
      expect(await circuitOf(model, first.provider)).toBe('closed');
      await (await ask()).text();
      expect(await circuitOf(model, first.provider)).toBe('open');
    },
  );
});

test('five failures in a row open the circuit: no more calls, and 503 without another candidate', async () => {
  let broken = true;
  const upstream = scripted((asked) => (broken ? refuse(500) : says('openai', { text: 'ok' })(asked)));
  const { modelId, provider } = await service.serve({ kind: 'openai', url: upstream.url });
  const ask = () => service.post(chat, { model: modelId, messages: hi });
  for (let i = 0; i < 4; i++) expect((await ask()).status).toBe(502);
  broken = false;
  expect((await ask()).status).toBe(200);
  broken = true;
  for (let i = 0; i < 5; i++) {
    expect(await circuitOf(modelId, provider)).toBe('closed');
    expect((await ask()).status).toBe(502);
  }
  expect(await circuitOf(modelId, provider)).toBe('open');
  const asked = upstream.asked.length;
  const blocked = await ask();
  expect(blocked.status).toBe(503);
  expect(((await blocked.json()) as Loose).error).toMatchObject({
    type: 'server_error',
    code: 'no_available_provider',
  });
  expect(upstream.asked.length).toBe(asked);
});

test('429 responses open no circuit', async () => {
  const upstream = scripted(() => refuse(429));
  const { modelId, provider } = await service.serve({ kind: 'openai', url: upstream.url });
  for (let i = 0; i < 7; i++) {
    expect((await service.post(chat, { model: modelId, messages: hi })).status).toBe(429);
  }
  expect(await circuitOf(modelId, provider)).toBe('closed');
});

describe('a client that disconnects', () => {
  test.each([false, true])('before the first byte pays nothing (stream: %p)', async (stream) => {
    const upstream = scripted(silence);
    const { modelId, provider } = await service.serve({ kind: 'openai', url: upstream.url, ...priced });
    const user = await service.user(1_000_000);
    const key = await user.key();
    const controller = new AbortController();
    const call = service.post(chat, { model: modelId, messages: hi, stream }, { key, signal: controller.signal });
    await until('the upstream is asked', () => upstream.asked.length === 1);
    expect((await service.self(user)).quota).toBeLessThan(1_000_000);
    controller.abort();
    await call.catch(() => null);
    await until('the upstream is cancelled', () => upstream.last().aborted);
    await until('the hold is given back', async () => (await service.self(user)).quota === 1_000_000);
    expect(await logsOf(user)).toEqual([]);
    expect(await circuitOf(modelId, provider)).toBe('closed');
  });

  test('after the first byte pays for the produced part', async () => {
    const upstream = scripted(says('openai', { text: sixty.repeat(10) }, { everyMs: 10 }));
    const { modelId } = await service.serve({ kind: 'openai', url: upstream.url, ...priced });
    const user = await service.user(1_000_000);
    const key = await user.key();
    const controller = new AbortController();
    const body = { model: modelId, messages: hi, stream: true, max_tokens: 2_000 };
    const answer = await service.post(chat, body, { key, signal: controller.signal });
    const reader = answer.body!.getReader();
    for (let i = 0; i < 20; i++) await reader.read();
    controller.abort();
    await until('the upstream is cancelled', () => upstream.last().aborted);
    await until('the request is in the log', async () => (await logsOf(user)).length === 1);
    const [log] = await logsOf(user);
    expect(log.status).toBe('aborted');
    expect(log.completion_tokens).toBeGreaterThan(15);
    expect(log.completion_tokens).toBeLessThan(300);
    const self = await service.self(user);
    expect(self.quota + self.used_quota).toBe(1_000_000);
    expect(self.used_quota).toBe(log.quota);
  });
});

test('a slow reader of a fast upstream does not grow memory or delay others', async () => {
  const filler = 'x'.repeat(16_384);
  const pieces = function* () {
    for (let i = 0; i < 20_000; i++) yield openaiChunk({ content: filler });
    yield* [openaiChunk({}, 'stop'), 'data: [DONE]\n\n'];
  };
  const upstream = scripted((asked) => events(asked, pieces()));
  const { modelId } = await service.serve({ kind: 'openai', url: upstream.url, ...priced, timeoutMs: 1_000 });
  const other = await service.serve({ kind: 'openai', url: sound.url });
  const user = await service.user(500_000_000);
  const before = await service.rssBytes();
  const slow = await slowReader(service, await user.key(), { model: modelId, messages: hi, stream: true });
  await until('the upstream answers', () => upstream.asked.length === 1 && upstream.last().sent > 0);
  await Bun.sleep(1_500);
  const grown = (await service.rssBytes()) - before;
  // Socket buffers take some of the 320 MiB; the rest must stay at the upstream.
  expect(upstream.last().sent).toBeLessThan(5_000);
  expect(grown).toBeLessThan(120 * 1024 * 1024);
  const answer = await service.post(chat, { model: other.modelId, messages: hi });
  expect(answer.status).toBe(200);
  // Past the timeout of the channel, and still not a fault of the upstream.
  expect(upstream.last().aborted).toBe(false);
  slow.end();
  await until('the upstream is cancelled', () => upstream.last().aborted);
  await until('the request is in the log', async () => (await logsOf(user))[0]?.status === 'aborted');
});

/** Reads 1 KB, then nothing for a second, repeatedly. */
async function slowReader(to: Service, key: string, body: Json): Promise<{ end(): void }> {
  const text = JSON.stringify(body);
  const { hostname, port } = new URL(to.url);
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(self) {
        self.pause();
        setTimeout(() => self.resume(), 1_000);
      },
    },
  });
  socket.write(
    `POST ${chat} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
  return { end: () => socket.terminate() };
}

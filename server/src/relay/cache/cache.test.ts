import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Member } from '../../app.fixture.ts';
import { until } from '../../lib/until.fixture.ts';
import { lookedAt } from '../../platform/db/plans.fixture.ts';
import { openRelayTest, type RelayTest } from '../endpoints/relay.fixture.ts';
import {
  addUpstream,
  chatPiece,
  type Script,
  type ScriptedUpstream,
  scriptedUpstream,
} from '../scripted-upstream.fixture.ts';

/** Ten tokens of a prompt and five of an answer at 100 dollars a million. */
const cost = 750;
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const words = 'It rains.';

interface ChatBody {
  stream?: boolean;
}

const events = (text: string): Response => new Response(text, { headers: { 'content-type': 'text/event-stream' } });
const finished = `data: ${JSON.stringify({ id: 'c-1', choices: [], usage })}\n\ndata: [DONE]\n\n`;

const asAsked: Script = ({ body }) =>
  (body as ChatBody).stream
    ? events(chatPiece({ content: 'It ' }) + chatPiece({ content: 'rains.' }) + chatPiece({}, 'stop') + finished)
    : Response.json({
        ...{ id: 'c-1', object: 'chat.completion', created: 1, model: 'up', usage },
        choices: [{ index: 0, message: { role: 'assistant', content: words }, finish_reason: 'stop' }],
      });

let relay: RelayTest;
let upstream: ScriptedUpstream;
let key: string;
let said = 0;

beforeAll(async () => {
  relay = await openRelayTest();
  await relay.test.setOption('RateLimitEnabled', false);
  await relay.credit(10_000_000);
  upstream = scriptedUpstream(asAsked);
  await addUpstream(relay.test, upstream.url, [{ model_id: 'm', prompt_price: 100, completion_price: 100 }]);
  key = await relay.member.key({ cache: { ttl_seconds: 60 } });
});
afterAll(async () => {
  await upstream.close();
  await relay.close();
});
beforeEach(() => {
  upstream.answer(asAsked);
  upstream.seen.length = 0;
  // A question of its own for each test, so that none finds what another left.
  said += 1;
});

const question = () => [{ role: 'user', content: `What is the weather of day ${said}?` }];
const chat = (fields: object = {}) => ({ model: 'm', temperature: 0, max_tokens: 50, messages: question(), ...fields });

interface Asking {
  path?: string;
  by?: string;
  headers?: Record<string, string>;
}

async function ask(body: object, { path = '/v1/chat/completions', by = key, headers = {} }: Asking = {}) {
  const answer = await relay.test.call(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${by}`, ...headers },
    body,
  });
  const text = await answer.text();
  expect({ status: answer.status, text: answer.ok ? '' : text }).toEqual({ status: 200, text: '' });
  return { answer, text, cache: answer.headers.get('x-svc-cache'), asked: upstream.seen.length };
}

const textOf = (whole: string): string => JSON.parse(whole).choices[0].message.content;
const streamedText = (stream: string): string =>
  [...stream.matchAll(/"content":"([^"]*)"/g)].map(([, content]) => content).join('');

test('an identical request is answered from the cache: one upstream call, one charge', async () => {
  const before = await relay.money();
  const first = await ask(chat());
  expect(first.cache).toBe('miss');
  expect(first.answer.headers.get('x-svc-cost')).toBe(`${cost}`);
  expect(first.answer.headers.get('age')).toBeNull();
  const second = await ask(chat());
  expect(second).toMatchObject({ cache: 'hit', asked: 1 });
  expect(second.answer.headers.get('x-svc-cost')).toBe('0');
  expect(Number(second.answer.headers.get('age'))).toBeGreaterThanOrEqual(0);
  expect(JSON.parse(second.text)).toEqual(JSON.parse(first.text));
  expect(await relay.usageOf(second.answer)).toMatchObject({ quota: 0, saved_quota: cost, prompt_tokens: 10 });
  expect(await relay.usageOf(first.answer)).toMatchObject({ quota: cost, saved_quota: 0 });
  const saved = async () => {
    const { data } = (await (await relay.member.call('/api/tokens')).json()) as { data: Record<string, number>[] };
    return data.map(({ saved_quota, saved_requests }) => [saved_quota, saved_requests]);
  };
  await until('the key shows what it saved', async () =>
    (await saved()).some(([quota, requests]) => quota === cost && requests === 1),
  );
  expect(before.quota - (await relay.money()).quota).toBe(cost);
});

test('a key without a cache setting never gets a cached answer', async () => {
  for (const asked of [1, 2]) expect(await ask(chat(), { by: relay.key })).toMatchObject({ cache: null, asked });
});

test('a cached whole answer can be streamed', async () => {
  await ask(chat());
  const { cache, text, asked } = await ask(chat({ stream: true, stream_options: { include_usage: true } }));
  expect({ cache, asked }).toEqual({ cache: 'hit', asked: 1 });
  expect(streamedText(text)).toBe(words);
  expect(text).toContain('"finish_reason":"stop"');
  expect(text).toContain('"completion_tokens":5');
  expect(text).toEndWith('data: [DONE]\n\n');
});

test('a cached stream can be returned whole and streamed again', async () => {
  const first = await ask(chat({ stream: true }));
  expect(first.cache).toBe('miss');
  expect(streamedText(first.text)).toBe(words);
  const whole = await ask(chat());
  expect(whole).toMatchObject({ cache: 'hit', asked: 1 });
  expect(textOf(whole.text)).toBe(words);
  expect(JSON.parse(whole.text)).toMatchObject({ usage, choices: [{ finish_reason: 'stop' }] });
  const again = await ask(chat({ stream: true }));
  expect(again).toMatchObject({ cache: 'hit', asked: 1 });
  expect(streamedText(again.text)).toBe(words);
});

test.each([
  ['/v1/messages', { model: 'm', max_tokens: 50, temperature: 0 }, 'message_stop'],
  ['/v1/responses', { model: 'm', temperature: 0 }, 'response.completed'],
  ['/v1/completions', { model: 'm', max_tokens: 50, temperature: 0 }, '[DONE]'],
])('%s returns cached answers in its own format', async (path, fields, end) => {
  const asked = question();
  const body = {
    ...fields,
    ...(path === '/v1/messages' && { messages: asked }),
    ...(path === '/v1/responses' && { input: asked }),
    ...(path === '/v1/completions' && { prompt: asked[0]!.content }),
  };
  expect(await ask(body, { path })).toMatchObject({ cache: 'miss', asked: 1 });
  const whole = await ask(body, { path });
  expect(whole).toMatchObject({ cache: 'hit', asked: 1 });
  expect(whole.text).toContain(words);
  const stream = await ask({ ...body, stream: true }, { path });
  expect(stream).toMatchObject({ cache: 'hit', asked: 1 });
  expect(stream.text).toContain(words);
  expect(stream.text).toContain(end);
});

test('each cached response gets its own id', async () => {
  const body = { model: 'm', temperature: 0, input: question() };
  const ids = [];
  for (const _ of [1, 2, 3]) ids.push(JSON.parse((await ask(body, { path: '/v1/responses' })).text).id);
  expect(new Set(ids).size).toBe(3);
  const kept = await relay.get(`/v1/responses/${ids[2]}`, { headers: { authorization: `Bearer ${key}` } });
  expect(kept.status).toBe(200);
});

test('a response with store: false is not cached', async () => {
  const body = { model: 'm', temperature: 0, input: question(), store: false };
  for (const asked of [1, 2]) expect(await ask(body, { path: '/v1/responses' })).toMatchObject({ cache: null, asked });
});

test('the order of fields does not matter for a cache hit, every value does', async () => {
  await ask(chat({ top_p: 1, seed: 1 }));
  const { temperature, model, messages, max_tokens } = chat();
  expect(await ask({ seed: 1, messages, top_p: 1, max_tokens, model, temperature })).toMatchObject({ cache: 'hit' });
  const others = [{ seed: 2 }, { max_tokens: 51 }, { user: 'somebody' }, { stop: ['x'] }, { metadata: { a: 'b' } }];
  for (const other of others) expect(await ask(chat({ top_p: 1, seed: 1, ...other }))).toMatchObject({ cache: 'miss' });
});

describe('which requests are cached', () => {
  const tools = [{ type: 'function', function: { name: 'send_mail', parameters: { type: 'object' } } }];

  test.each([
    ['a temperature above 0', { temperature: 0.5 }],
    ['no temperature', { temperature: undefined }],
    ['tools', { tools }],
    ['several choices', { n: 2 }],
    ['logprobs', { logprobs: true }],
    ['audio output', { modalities: ['text', 'audio'] }],
  ])('requests with %s are not cached', async (_, fields) => {
    for (const asked of [1, 2]) expect(await ask(chat(fields))).toMatchObject({ cache: null, asked });
  });

  test('a key can cache all requests except those with tools', async () => {
    const any = await relay.member.key({ cache: { ttl_seconds: 60, when: 'any' } });
    await ask(chat({ temperature: 1 }), { by: any });
    expect(await ask(chat({ temperature: 1 }), { by: any })).toMatchObject({ cache: 'hit', asked: 1 });
    expect(await ask(chat({ tools }), { by: any })).toMatchObject({ cache: null, asked: 2 });
    expect(await ask(chat({ tools }), { by: any })).toMatchObject({ cache: null, asked: 3 });
  });
});

describe('Cache-Control in requests', () => {
  const saying = (value: string) => ({ headers: { 'cache-control': value } });

  test('no-cache calls the model and caches the answer', async () => {
    await ask(chat());
    expect(await ask(chat(), saying('no-cache'))).toMatchObject({ cache: 'miss', asked: 2 });
    expect(await ask(chat())).toMatchObject({ cache: 'hit', asked: 2 });
  });

  test('no-store neither reads nor writes the cache', async () => {
    expect(await ask(chat(), saying('no-store'))).toMatchObject({ cache: null, asked: 1 });
    expect(await ask(chat())).toMatchObject({ cache: 'miss', asked: 2 });
    expect(await ask(chat(), saying('No-Store, max-age=9'))).toMatchObject({ cache: null, asked: 3 });
  });

  test('max-age limits the age of a cached answer', async () => {
    await ask(chat());
    expect(await ask(chat(), saying('max-age=1000'))).toMatchObject({ cache: 'hit' });
  });
});

describe('which answers are cached', () => {
  const choice = (message: object, finish_reason: string) =>
    Response.json({
      id: 'c',
      object: 'chat.completion',
      created: 1,
      usage,
      choices: [{ index: 0, message, finish_reason }],
    });
  const call = { id: 'call_1', type: 'function', function: { name: 'send_mail', arguments: '{}' } };

  test.each<[string, Script]>([
    ['calls a tool', () => choice({ role: 'assistant', content: null, tool_calls: [call] }, 'tool_calls')],
    ['was cut off by a filter', () => choice({ role: 'assistant', content: 'It' }, 'content_filter')],
    ['is empty', () => choice({ role: 'assistant', content: '' }, 'stop')],
  ])('an answer that %s is not cached', async (_, script) => {
    upstream.answer(script);
    for (const asked of [1, 2]) expect(await ask(chat())).toMatchObject({ cache: 'miss', asked });
  });

  test('an interrupted stream is not cached', async () => {
    upstream.answer(() => events(chatPiece({ content: 'It ' })));
    await ask(chat({ stream: true }));
    upstream.answer(asAsked);
    const next = await ask(chat());
    expect(next.cache).toBe('miss');
    expect(textOf(next.text)).toBe(words);
  });
});

describe('sharing between users', () => {
  let other: Member;
  let theirs: string;
  beforeAll(async () => {
    other = await relay.test.user();
    theirs = await other.key({ cache: { ttl_seconds: 60 } });
    const root = await relay.test.root();
    await root.call(`/api/admin/users/${other.id}/credits`, { method: 'POST', body: { quota: 100_000 } });
  });

  test('another user does not get the cached answer', async () => {
    await ask(chat());
    expect(await ask(chat(), { by: theirs })).toMatchObject({ cache: 'miss', asked: 2 });
  });

  test('another user gets the cached answer if the operator allows it', async () => {
    await relay.test.setOption('ResponseCacheAcrossUsers', true);
    try {
      await ask(chat());
      expect(await ask(chat(), { by: theirs })).toMatchObject({ cache: 'hit', asked: 1 });
    } finally {
      await relay.test.setOption('ResponseCacheAcrossUsers', false);
    }
  });

  test('a cached answer is not used if the user’s routing would exclude its provider', async () => {
    await relay.test.setOption('ResponseCacheAcrossUsers', true);
    const prefer = async (change: object) => {
      const answer = await other.call('/api/routing/preferences', { method: 'PUT', body: change });
      expect(answer.status).toBe(200);
    };
    const first = (await ask(chat({ max_tokens: 49 }))).answer.headers.get('x-svc-provider')!;
    // Somebody else has the same model, and is asked where the first may not be.
    const second = scriptedUpstream(asAsked);
    const channel = { kind: 'openai', provider: 'elsewhere' };
    await addUpstream(relay.test, second.url, [{ model_id: 'm', prompt_price: 200, completion_price: 200 }], channel);
    const body = chat({ provider: { order: [first] } });
    const again = async () => {
      const { cache, answer } = await ask(body, { by: theirs });
      return [cache, answer.headers.get('x-svc-provider')];
    };
    try {
      await ask(body);
      expect(await again()).toEqual(['hit', first]);
      await prefer({ blocked_providers: [first] });
      expect(await again()).toEqual(['miss', 'elsewhere']);
      expect(await again()).toEqual(['hit', 'elsewhere']);
      await prefer({ blocked_providers: [], max_price: 150 });
      expect(await again()).toEqual(['miss', first]);
      expect(await again()).toEqual(['hit', first]);
      const { db } = relay.test.platform.database;
      expect(await lookedAt(db, again, /preferences|channels|provider_models/)).toEqual([]);
    } finally {
      await prefer({ blocked_providers: [], max_price: null });
      await relay.test.setOption('ResponseCacheAcrossUsers', false);
      await second.close();
    }
  });

  test('a key that may not use the model gets 403 despite a cached answer', async () => {
    const narrow = await relay.member.key({ cache: { ttl_seconds: 60 }, models: ['demo/chat'] });
    await ask(chat());
    const answer = await relay.test.call('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${narrow}` },
      body: chat(),
    });
    expect(answer.status).toBe(403);
  });
});

test('a key shows its cache setting, which can be removed', async () => {
  const made = await relay.member.call('/api/tokens', {
    method: 'POST',
    body: { name: 'k', cache: { ttl_seconds: 5 } },
  });
  const { data } = (await made.json()) as { data: { id: number; cache: object; key: string } };
  expect(data.cache).toEqual({ ttl_seconds: 5, when: 'temperature_0' });
  const change = async (cache: unknown) => {
    const answer = await relay.member.call(`/api/tokens/${data.id}`, { method: 'PUT', body: { cache } });
    return ((await answer.json()) as { data: { cache: unknown } }).data.cache;
  };
  expect(await change({ ttl_seconds: 86_400, when: 'any' })).toEqual({ ttl_seconds: 86_400, when: 'any' });
  expect(await change(null)).toBeNull();
  expect(await ask(chat(), { by: data.key })).toMatchObject({ cache: null });
  for (const cache of [{ ttl_seconds: 0 }, { ttl_seconds: 86_401 }, { ttl_seconds: 1, when: 'always' }, 'yes'])
    expect((await relay.member.call(`/api/tokens/${data.id}`, { method: 'PUT', body: { cache } })).status).toBe(400);
});

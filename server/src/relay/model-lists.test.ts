import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Member } from '../app.fixture.ts';
import { openRelayTest, type RelayTest } from './endpoints/relay.fixture.ts';
import { addUpstream, type Script, type ScriptedUpstream, scriptedUpstream } from './scripted-upstream.fixture.ts';

let relay: RelayTest;
let root: Member;
let upstream: ScriptedUpstream;
/** Upstream names that are out of order. */
let down = new Set<string>();

const modelIn = (body: unknown): string => (body as { model: string }).model;
const answered: Script = ({ body }) => {
  const model = modelIn(body);
  if (down.has(model)) return Response.json({ error: { message: 'down' } }, { status: 500 });
  if ((body as { stream?: boolean }).stream) return new Response(streamOf(model), { headers: sse });
  return Response.json({
    id: 'c',
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: `I am ${model}` }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  });
};
const sse = { 'content-type': 'text/event-stream' };
const streamOf = (model: string): string =>
  `${[
    { choices: [{ index: 0, delta: { role: 'assistant', content: `I am ${model}` }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } },
  ]
    .map((chunk) => `data: ${JSON.stringify({ id: 'c', model, object: 'chat.completion.chunk', ...chunk })}\n\n`)
    .join('')}data: [DONE]\n\n`;

beforeAll(async () => {
  relay = await openRelayTest();
  await relay.test.setOption('RateLimitEnabled', false);
  await relay.credit(100_000_000);
  root = await relay.test.root();
  upstream = scriptedUpstream(answered);
  const models = ['a', 'b', 'c'].map((name) => ({ model_id: `acme/${name}`, model_name: name, prompt_price: 5 }));
  await addUpstream(relay.test, upstream.url, models, { provider: 'acme' });
  const cheap = [{ model_id: 'acme/a', model_name: 'a-cheap', prompt_price: 1 }];
  await addUpstream(relay.test, upstream.url, cheap, { provider: 'cheap' });
  const odd = [{ model_id: 'odd:floor', model_name: 'odd' }];
  await addUpstream(relay.test, upstream.url, odd, { provider: 'odd' });
});
beforeEach(async () => {
  down = new Set();
  // A success between failures, so that no circuit opens over several tests.
  for (const model of ['acme/b', 'acme/c']) await ask({ model });
  upstream.seen.length = 0;
});
afterAll(async () => {
  await upstream.close();
  await relay.close();
});

test('a request with an optional parameter goes to the provider that supports it', async () => {
  const answer = { choices: [{ message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }] };
  upstream.answer(() => Response.json(answer));
  const model = { model_id: 'acme/wish', model_name: 'w', prompt_price: 0 };
  await addUpstream(relay.test, upstream.url, [model], { provider: 'deepseek' });
  await addUpstream(relay.test, upstream.url, [{ ...model, model_name: 'w-heeds', prompt_price: 5 }], {
    provider: 'dear',
  });
  for (let i = 0; i < 8; i++) await ask({ model: 'acme/wish', seed: 7 });
  upstream.answer(answered);
  expect(new Set(asked())).toEqual(new Set(['w-heeds']));
});

const asked = () => upstream.seen.map(({ body }) => modelIn(body));
const messages = [{ role: 'user', content: 'hi' }];
const ask = (fields: object, path = '/v1/chat/completions') => relay.post(path, { messages, ...fields });
const alias = (body: object) => root.call('/api/admin/model-aliases', { method: 'POST', body });

describe('models: [a, b]', () => {
  test('falls back to the next model on failure, and the answer names the model used', async () => {
    down = new Set(['b']);
    const answer = await ask({ model: 'acme/b', models: ['acme/c', 'acme/a'] });
    expect(answer.status).toBe(200);
    expect(await answer.clone().json()).toMatchObject({ model: 'acme/c' });
    expect(asked()).toEqual(['b', 'c']);
    expect(await relay.usageOf(answer)).toMatchObject({ model: 'acme/c' });
    // Ours, and stays here.
    expect(upstream.seen[0]!.body).not.toHaveProperty('models');
  });

  test('without `model`, the first of the list is used; an unknown one is skipped', async () => {
    const answer = await ask({ models: ['acme/nothing', 'acme/c'] });
    expect(await answer.json()).toMatchObject({ model: 'acme/c' });
  });

  test.each([
    ['/v1/chat/completions', { messages }],
    ['/v1/completions', { prompt: 'hi' }],
    ['/v1/completions', { prompt: ['hi', 'ho'] }],
    ['/v1/messages', { messages, max_tokens: 9 }],
    ['/v1/responses', { input: 'hi' }],
    ['/v2/chat', { messages }],
  ])('%s falls back, whole and streamed', async (path, body) => {
    down = new Set(['b']);
    for (const stream of [false, true]) {
      const answer = await relay.post(path, { model: 'acme/b', models: ['acme/c'], ...body, stream });
      const text = await answer.text();
      expect({ path, stream, status: answer.status, text }).toMatchObject({ status: 200 });
      expect(text).toContain('I am c');
      expect(text).not.toContain('acme/b');
      if (path !== '/v2/chat') expect(text).toMatch(/"model": ?"acme\/c"/);
    }
    expect(new Set(asked())).toEqual(new Set(['b', 'c']));
  });

  test('an error of the caller ends the fallback', async () => {
    upstream.answer(() => Response.json({ error: { message: 'bad temperature' } }, { status: 400 }));
    expect((await ask({ model: 'acme/b', models: ['acme/c'] })).status).toBe(400);
    upstream.answer(answered);
    expect(asked()).toEqual(['b']);
    const key = await relay.member.key({ models: ['acme/c'] });
    const refused = await relay.post(
      '/v1/chat/completions',
      { model: 'acme/b', models: ['acme/c'], messages },
      { headers: { authorization: `Bearer ${key}` } },
    );
    expect(refused.status).toBe(403);
  });

  test('when all models fail, the last failure is returned and nothing is charged', async () => {
    down = new Set(['b', 'c']);
    const before = await relay.money();
    const answer = await ask({ model: 'acme/b', models: ['acme/c'] });
    expect(answer.status).toBe(502);
    expect((await relay.money()).quota).toBe(before.quota);
  });

  test.each([[5], [['acme/b', '']], [[1]], [Array(11).fill('acme/b')]])('models: %j is rejected', async (models) => {
    const answer = await ask({ model: 'acme/b', models });
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as { error: { param: string } }).error.param).toMatch(/^models/);
  });
});

describe('variants', () => {
  test(':floor uses the cheapest provider, and the answer keeps the requested name', async () => {
    for (let i = 0; i < 5; i += 1) {
      const answer = await ask({ model: 'acme/a:floor' });
      expect(await answer.json()).toMatchObject({ model: 'acme/a:floor' });
    }
    expect(new Set(asked())).toEqual(new Set(['a-cheap']));
  });

  test(':nitro is accepted, the request’s own sort takes precedence, and unknown suffixes return 404', async () => {
    expect((await ask({ model: 'a:nitro' })).status).toBe(200);
    upstream.seen.length = 0;
    await ask({ model: 'acme/a:nitro', provider: { sort: 'price' } });
    expect(asked()).toEqual(['a-cheap']);
    expect((await ask({ model: 'acme/a:turbo' })).status).toBe(404);
    expect((await ask({ model: ':floor' })).status).toBe(404);
  });

  test('a key allowed to use a model may use its variants', async () => {
    const key = await relay.member.key({ models: ['acme/a'] });
    const headers = { authorization: `Bearer ${key}` };
    const body = (model: string) => ({ model, messages });
    expect((await relay.post('/v1/chat/completions', body('acme/a:floor'), { headers })).status).toBe(200);
    expect((await relay.post('/v1/chat/completions', body('acme/b:floor'), { headers })).status).toBe(403);
  });
});

describe('aliases and groups', () => {
  test('an alias is listed and answers under its own name', async () => {
    expect((await alias({ name: 'my-model', models: ['acme/b'] })).status).toBe(201);
    const answer = await ask({ model: 'my-model' });
    expect(await answer.clone().json()).toMatchObject({ model: 'my-model' });
    expect(asked()).toEqual(['b']);
    expect(await relay.usageOf(answer)).toMatchObject({ model: 'acme/b' });
    const listed = (await (await relay.get('/v1/models')).json()) as { data: { id: string }[] };
    expect(listed.data.map(({ id }) => id)).toContain('my-model');
    expect(await (await relay.get('/v1/models/my-model')).json()).toMatchObject({ id: 'my-model' });
  });

  test('a group falls back to its next model, also with a variant', async () => {
    expect((await alias({ name: 'any', models: ['acme/b', 'acme/a'] })).status).toBe(201);
    expect(await (await ask({ model: 'any' })).json()).toMatchObject({ model: 'acme/b' });
    down = new Set(['b']);
    upstream.seen.length = 0;
    expect(await (await ask({ model: 'any:floor' })).json()).toMatchObject({ model: 'acme/a' });
    expect(asked()).toEqual(['b', 'a-cheap']);
  });

  test('a model whose name ends like a variant takes precedence over an alias with a variant', async () => {
    expect((await alias({ name: 'odd', models: ['acme/b', 'acme/c'] })).status).toBe(201);
    expect(await (await ask({ model: 'odd:floor' })).json()).toMatchObject({ model: 'odd:floor' });
    expect(await (await ask({ model: 'odd:nitro' })).json()).toMatchObject({ model: 'acme/b' });
    expect(asked()).toEqual(['odd', 'b']);
  });

  test('a key allowed to use a group may use its models and no others', async () => {
    const key = await relay.member.key({ models: ['any'] });
    const headers = { authorization: `Bearer ${key}` };
    const by = async (model: string) =>
      (await relay.post('/v1/chat/completions', { model, messages }, { headers })).status;
    expect([await by('any'), await by('acme/a'), await by('acme/c')]).toEqual([200, 200, 403]);
  });

  test('a model takes precedence over an alias of its name, names are unique, and deleted models are not found', async () => {
    expect((await alias({ name: 'acme/c', models: ['acme/b'] })).status).toBe(201);
    await ask({ model: 'acme/c' });
    expect(asked()).toEqual(['c']);
    expect((await alias({ name: 'any', models: ['acme/c'] })).status).toBe(409);
    const made = (await (await alias({ name: 'gone', models: ['acme/never'] })).json()) as { data: { id: number } };
    expect((await ask({ model: 'gone' })).status).toBe(404);
    const path = `/api/admin/model-aliases/${made.data.id}`;
    expect((await root.call(path, { method: 'PUT', body: { models: ['c'] } })).status).toBe(200);
    expect((await ask({ model: 'gone' })).status).toBe(200);
    expect((await root.call(path, { method: 'DELETE' })).status).toBe(200);
    expect((await ask({ model: 'gone' })).status).toBe(404);
    expect((await alias({ name: 'x', models: [] })).status).toBe(400);
    expect((await relay.member.call('/api/admin/model-aliases')).status).toBe(403);
  });
});

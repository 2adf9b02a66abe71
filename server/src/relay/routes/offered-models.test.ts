import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openRelayTest, type RelayTest } from '../endpoints/relay.fixture.ts';
import { addUpstream } from '../scripted-upstream.fixture.ts';
import type { Json } from '../wire/conversation.ts';

let relay: RelayTest;
const away = 'http://127.0.0.1:9/v1';

const tiers = [{ above_context: 200_000, prompt: 5, completion: 15, cache_read: 0.5 }];
const prices = { prompt: 2.5, completion: 10, cache_read: 0.25, image_in: 3, tiers };

beforeAll(async () => {
  relay = await openRelayTest({ env: { DEMO_PROVIDER: 'on' } });
  await addUpstream(relay.test, away, [{ model_id: 'acme/fine', prices, context_length: 400_000 }], {
    provider: 'dear',
  });
  await addUpstream(relay.test, away, [{ model_id: 'acme/fine', prompt_price: 1, completion_price: 2 }], {
    provider: 'cheap',
  });
  await addUpstream(relay.test, away, [
    { model_id: 'acme/alone', prices, context_length: 400_000, max_output_tokens: 8_000 },
    { model_id: 'acme/plain', capabilities: { tools: false, json_schema: false } },
    { model_id: 'acme/claude-sonnet-4-5', capabilities: { vision: false } },
    { model_id: 'acme/draw', type: 'image', request_price: 0.04 },
  ]);
  await addUpstream(relay.test, away, [{ model_id: 'acme/secret' }], { group: 'insiders' });
  await addUpstream(relay.test, away, [], { models: ['old-model'], provider: 'attic' });
  const root = await relay.test.root();
  const alias = { name: 'either', models: ['acme/plain', 'acme/fine'] };
  expect((await root.call('/api/admin/model-aliases', { method: 'POST', body: alias })).ok).toBe(true);
});
afterAll(() => relay.close());

const list = async (): Promise<Json[]> =>
  ((await (await relay.member.call('/api/models')).json()) as { data: { models: Json[] } }).data.models;
const one = async (id: string): Promise<Json> =>
  ((await (await relay.member.call(`/api/models/${id}`)).json()) as { data: Json }).data;

describe('models available to a user', () => {
  test('match /v1/models, in the same order', async () => {
    const listed = (await (await relay.get('/v1/models')).json()) as { data: Json[] };
    expect((await list()).map(({ id }) => id)).toEqual(listed.data.map(({ id }) => id));
    const ids = (await list()).map(({ id }) => id);
    for (const id of ['svc/svc-ms', 'acme/fine', 'demo/chat', 'old-model', 'either']) expect(ids).toContain(id);
    expect(ids).not.toContain('acme/secret');
  });

  test('a long list is compressed if the client accepts it', async () => {
    const many = Array.from({ length: 60 }, (_, index) => ({ model_id: `many/model-${index}`, prices }));
    await addUpstream(relay.test, away, many, { provider: 'many' });
    const plain = await relay.member.call('/api/models', { headers: { 'accept-encoding': 'identity' } });
    const packed = await relay.member.call('/api/models', { headers: { 'accept-encoding': 'br, gzip' } });
    expect([plain, packed].map(({ headers }) => headers.get('content-encoding'))).toEqual([null, 'gzip']);
    expect([plain, packed].map(({ headers }) => headers.get('vary'))).toEqual(['accept-encoding', 'accept-encoding']);
    const bytes = await packed.bytes();
    const text = await plain.text();
    expect(new TextDecoder().decode(Bun.gunzipSync(bytes))).toBe(text);
    expect(bytes.length).toBeLessThan(text.length / 5);
  });

  test('have prices for every part and tier, the lowest of their providers', async () => {
    expect(await one('acme/alone')).toMatchObject({
      prices,
      context_length: 400_000,
      max_output_tokens: 8_000,
      capabilities: ['tools', 'structured_outputs', 'vision', 'caching'],
    });
    const fine = await one('acme/fine');
    expect(fine).toMatchObject({ prices: { prompt: 1, completion: 2 }, context_length: 400_000 });
    const offers = fine.offers as Json[];
    expect(Object.fromEntries(offers.map(({ provider, prices: asked }) => [provider, asked]))).toEqual({
      dear: prices,
      cheap: { prompt: 1, completion: 2 },
    });
    expect((await one('acme/draw')).prices).toEqual({ prompt: 0, completion: 0, request: 0.04 });
    // What it asks has prices of its own.
    expect(await one('svc/svc-ms')).toMatchObject({ prices: null, health: null, providers: [], offers: [] });
  });

  test('list capabilities from the operator’s settings, prices and names', async () => {
    const byId = new Map((await list()).map((model) => [model.id, model.capabilities]));
    expect(byId.get('acme/plain')).toEqual([]);
    expect(byId.get('acme/claude-sonnet-4-5')).toEqual(['tools', 'structured_outputs', 'reasoning']);
    expect(byId.get('acme/draw')).toEqual([]);
    expect(byId.get('demo/chat')).toEqual(['tools', 'structured_outputs']);
  });

  test('show the health of the providers that would be used', async () => {
    const unmeasured = { circuit_state: 'closed', requests_last_hour: 0, success_rate_last_hour: 1 };
    expect((await one('acme/fine')).health).toEqual(unmeasured);
    expect(await one('old-model')).toMatchObject({ types: [], providers: ['attic'], health: unmeasured });
    for (let asked = 0; asked < 6; asked += 1)
      await relay.post('/v1/chat/completions', { model: 'old-model', messages: [{ role: 'user', content: 'hi' }] });
    expect((await one('old-model')).health).toMatchObject({ circuit_state: 'open' });
    expect((await list()).find(({ id }) => id === 'old-model')!.health).toMatchObject({ circuit_state: 'open' });
    expect((await one('acme/fine')).health).toEqual(unmeasured);
    expect(await one('old-model')).toMatchObject({ providers: ['attic'], unavailable: ['attic'] });
    expect(await one('acme/fine')).toMatchObject({ unavailable: [] });
  });

  test('an alias lists its models and all their offers', async () => {
    const either = await one('either');
    expect(either.members).toEqual(['acme/plain', 'acme/fine']);
    expect((either.offers as Json[]).map(({ model_id }) => model_id).sort()).toEqual([
      'acme/fine',
      'acme/fine',
      'acme/plain',
    ]);
  });
});

describe('a single model', () => {
  test('is found by a/b, by a%2Fb and without its vendor', async () => {
    for (const id of ['acme/fine', 'acme%2Ffine', 'fine']) expect((await one(id)).id).toBe('acme/fine');
  });

  test('returns 404 in the management format if missing or not available to the user; 401 without a session', async () => {
    for (const id of ['nobody/knows', 'acme/secret', '%F0%9F%98%80']) {
      const answer = await relay.member.call(`/api/models/${id}`);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ success: false, message: expect.stringContaining('does not exist') });
    }
    expect((await relay.test.call('/api/models')).status).toBe(401);
  });
});

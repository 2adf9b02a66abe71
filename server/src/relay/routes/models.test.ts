import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openRelayTest, type RelayTest } from '../endpoints/relay.fixture.ts';
import { addUpstream } from '../scripted-upstream.fixture.ts';
import type { Json } from '../wire/conversation.ts';

let relay: RelayTest;
const away = 'http://127.0.0.1:9/v1';

beforeAll(async () => {
  relay = await openRelayTest({ env: { DEMO_PROVIDER: 'on' } });
  const priced = { model_id: 'acme/fine', prompt_price: 2.5, completion_price: 10 };
  await addUpstream(relay.test, away, [{ ...priced, ...{ context_length: 128_000, capabilities: { tools: false } } }]);
  await addUpstream(relay.test, away, [{ ...priced, prompt_price: 0.075, completion_price: 0.3 }], {
    provider: 'cheap',
  });
  await addUpstream(relay.test, away, [{ model_id: 'acme/draw', type: 'image', request_price: 0.04 }]);
  await addUpstream(relay.test, away, [{ model_id: 'acme/secret' }], { group: 'insiders' });
  await addUpstream(relay.test, away, [], { models: ['old-model'] });
  const claude = { model_id: 'acme/claude', model_name: 'claude-sonnet-4-6' };
  const both = { model_id: 'acme/both', model_name: 'claude-sonnet-4-6' };
  await addUpstream(relay.test, away, [claude, both], { kind: 'anthropic', provider: 'anthropic' });
  await addUpstream(relay.test, away, [{ ...both, model_name: 'other' }]);
  await addUpstream(relay.test, away, [{ ...claude, model_id: 'acme/resold' }], { provider: 'openrouter' });
  await addUpstream(relay.test, away, [{ model_id: 'acme/newest', model_name: 'claude-opus-5-5' }], {
    kind: 'anthropic',
  });
  await addUpstream(relay.test, away, [{ model_id: 'acme/searches' }], { provider: 'perplexity' });
});
afterAll(() => relay.close());

const list = async (headers: Record<string, string> = {}): Promise<Json[]> =>
  ((await (await relay.get('/v1/models', { headers })).json()) as { data: Json[] }).data;

describe('the model list', () => {
  test('contains the models the key may use, our own first, in OpenAI’s format', async () => {
    const ids = (await list()).map(({ id }) => id);
    expect(ids[0]).toBe('svc/svc-ms');
    expect(ids).toContain('acme/fine');
    expect(ids).toContain('demo/chat');
    expect(ids).toContain('old-model');
    expect(ids).not.toContain('acme/secret');
    for (const model of await list()) {
      expect(model).toMatchObject({ object: 'model', id: expect.any(String), owned_by: expect.any(String) });
      expect(Number.isInteger(model.created)).toBe(true);
    }
  });

  test('is limited to the models of the key, which may be named without vendor', async () => {
    const key = await relay.member.key({ models: ['demo/chat', 'fine'] });
    const headers = { authorization: `Bearer ${key}` };
    expect((await list(headers)).map(({ id }) => id)).toEqual(['acme/fine', 'demo/chat']);
    expect((await relay.get('/v1/models/acme/fine', { headers })).status).toBe(200);
    expect((await relay.get('/v1/models/demo/embed', { headers })).status).toBe(404);
  });

  test('has Anthropic’s format for its clients, on one page or several', async () => {
    const headers = { 'anthropic-version': '2023-06-01' };
    const page = async (query = '') => {
      const body = await (await relay.get(`/v1/models${query}`, { headers })).json();
      return body as { data: Json[]; has_more: boolean; first_id: string; last_id: string };
    };
    const whole = await page();
    const ids = whole.data.map(({ id }) => String(id));
    expect(ids).toEqual((await list()).map(({ id }) => String(id)));
    expect(whole).toMatchObject({ has_more: false, first_id: 'svc/svc-ms', last_id: ids.at(-1) });
    const fine = {
      ...{ type: 'model', id: 'acme/fine', display_name: 'acme/fine', created_at: expect.any(String) },
      ...{ max_input_tokens: 128_000, max_tokens: null, capabilities: null, lifecycle: 'active' },
      ...{ line: null, deprecated_at: null, retires_at: null },
    };
    expect(whole.data.find(({ id }) => id === 'acme/fine')).toEqual(fine);
    expect(await (await relay.get('/v1/models/acme/fine', { headers })).json()).toEqual(fine);
    const paged = async (query: string) => {
      const { data, has_more } = await page(query);
      return [data.map(({ id }) => id), has_more];
    };
    expect(await paged('?limit=2')).toEqual([ids.slice(0, 2), true]);
    expect(await paged(`?limit=1000&after_id=${ids[1]}`)).toEqual([ids.slice(2), false]);
    expect(await paged(`?limit=2&before_id=${ids[4]}`)).toEqual([ids.slice(2, 4), true]);
    expect(await paged(`?limit=9&before_id=${ids[2]}`)).toEqual([ids.slice(0, 2), false]);
    expect((await relay.get('/v1/models?after_id=none', { headers })).status).toBe(404);
  });

  test('requires a key', async () => {
    const answer = await relay.test.call('/v1/models');
    expect(answer.status).toBe(401);
  });
});

describe('a single model', () => {
  test('is found by a/b and a%2Fb, with its lowest price as plain decimals', async () => {
    for (const path of ['/v1/models/acme/fine', '/v1/models/acme%2Ffine', '/v1/models/fine']) {
      const model = (await (await relay.get(path)).json()) as Json;
      expect(model).toMatchObject({
        id: 'acme/fine',
        name: 'acme/fine',
        context_length: 128_000,
        pricing: { prompt: '0.000000075', completion: '0.0000003' },
      });
    }
  });

  test('that passes requests to others has no price of its own, and is not called free', async () => {
    const [listed] = await list();
    const told = (await (await relay.get('/v1/models/svc/svc-ms')).json()) as Json;
    for (const model of [listed!, told])
      expect(model).toMatchObject({ id: 'svc/svc-ms', pricing: { prompt: '-1', completion: '-1' } });
    expect((await list()).filter(({ pricing }) => (pricing as Json).prompt === '-1')).toHaveLength(1);
  });

  test('lists its supported parameters', async () => {
    const parameters = async (id: string) =>
      ((await (await relay.get(`/v1/models/${id}`)).json()) as { supported_parameters: string[] }).supported_parameters;
    expect(await parameters('acme/fine')).toContain('temperature');
    expect(await parameters('demo/chat')).toContain('tools');
    expect(await parameters('acme/draw')).toEqual(['n', 'size', 'response_format']);
    // Of the kind that is asked, and of one of several.
    const asked = ['seed', 'frequency_penalty', 'temperature', 'tools', 'stop'];
    const taken = async (id: string) => {
      const all = await parameters(id);
      return asked.filter((name) => all.includes(name));
    };
    expect(await taken('acme/claude')).toEqual(['temperature', 'tools', 'stop']);
    expect(await taken('acme/resold')).toEqual(['temperature', 'tools', 'stop']);
    expect(await taken('acme/newest')).toEqual(['tools', 'stop']);
    expect(await taken('acme/both')).toEqual(asked);
    expect(await taken('acme/searches')).toEqual(['frequency_penalty', 'temperature']);
    expect(await taken('old-model')).toEqual(asked);
    const draw = (await (await relay.get('/v1/models/acme/draw')).json()) as Json;
    expect(draw.pricing).toEqual({ prompt: '0', completion: '0', request: '0.04' });
  });

  test('returns 404 in OpenAI’s format if it does not exist or is not available to the caller', async () => {
    for (const id of ['nobody/knows', 'acme/secret', '%F0%9F%98%80', 'a/b/c']) {
      const answer = await relay.get(`/v1/models/${id}`);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ error: { code: 'model_not_found', param: 'model' } });
    }
  });
});

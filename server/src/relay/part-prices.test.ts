import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { addUpstream, type ScriptedUpstream, scriptedUpstream } from './scripted-upstream.fixture.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as clients read them, field by field
type Loose = any;
const models = '/api/admin/provider-models';
const prices = {
  prompt: 3,
  completion: 15,
  cache_read: 0.3,
  cache_write: 3.75,
  cache_write_1h: 6,
  reasoning: 20,
  audio_in: 32,
  audio_out: 64,
  image_in: 5,
  search: 0.014,
  tiers: [{ above_context: 100_000, prompt: 6, completion: 22.5, cache_read: 0.6 }],
};

let house: TestApp;
let root: Member;
let upstream: ScriptedUpstream;
beforeAll(async () => {
  house = await openTestApp();
  root = await house.root();
  await house.setOption('RateLimitEnabled', false);
  upstream = scriptedUpstream();
});
afterAll(async () => {
  await house.close();
  await upstream.close();
});

const send = async (
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; data: Loose; body: Loose }> => {
  const answer = await root.call(path, { method, body });
  const read = (await answer.json()) as Loose;
  return { status: answer.status, data: read.data, body: read };
};

let named = 0;
/** A model of the upstream with these fields, as an administrator adds it. */
async function addModel(fields: Record<string, unknown>, channel: Record<string, unknown> = {}): Promise<Loose> {
  named += 1;
  const channelId = await addUpstream(house, upstream.url, [], { name: `parts ${named}`, ...channel });
  const { status, data, body } = await send('POST', models, {
    model_id: `acme/part-${named}`,
    channel_id: channelId,
    ...fields,
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return data;
}
const stored = async (model: Loose): Promise<Loose> =>
  (await send('GET', `${models}?model_id=${encodeURIComponent(model.model_id)}`)).data.provider_models[0];

describe('model prices', () => {
  test('the price fields are part of `prices`', async () => {
    const model = await addModel({ prices: { ...prices, request: 0.01 } });
    const plain = { prompt_price: 3, completion_price: 15, request_price: 0.01 };
    expect(model).toMatchObject({ ...plain, prices: { ...prices, request: 0.01 } });
    expect(await stored(model)).toEqual(model);
  });

  test('changing `prices` updates the price fields and vice versa', async () => {
    const model = await addModel({ prompt_price: 1, completion_price: 2 });
    expect(model.prices).toEqual({ prompt: 1, completion: 2 });
    const path = `${models}/${model.id}`;
    expect((await send('PUT', path, { prices })).data).toMatchObject({ prompt_price: 3, completion_price: 15, prices });
    const raised = (await send('PUT', path, { prompt_price: 4 })).data;
    expect(raised).toMatchObject({ prompt_price: 4, prices: { ...prices, prompt: 4 } });
    // What a new value leaves out is gone.
    const less = (await send('PUT', path, { prices: { prompt: 1, completion: 2 } })).data;
    expect(less.prices).toEqual({ prompt: 1, completion: 2 });
    expect((await send('PUT', path, { prices, prompt_price: 3, request_price: 0 })).status).toBe(200);
    expect((await send('PUT', path, { status: 2 })).data.prices).toEqual(prices);
  });

  const tier = { above_context: 1000, prompt: 1, completion: 1 };
  const bad: [what: string, change: Record<string, unknown>][] = [
    ['a negative price', { prices: { ...prices, cache_read: -0.1 } }],
    ['a price above a million', { prices: { ...prices, audio_in: 1_000_001 } }],
    ['text', { prices: { ...prices, reasoning: '1' } }],
    ['null', { prices: { ...prices, image_in: null } }],
    ['an unknown part', { prices: { ...prices, cached: 1 } }],
    ['no prompt', { prices: { completion: 1 } }],
    ['a list instead of an object', { prices: [1, 2] }],
    ['a tier of no context', { prices: { ...prices, tiers: [{ ...tier, above_context: 0 }] } }],
    ['a tier of half a token', { prices: { ...prices, tiers: [{ ...tier, above_context: 1.5 }] } }],
    ['an unknown part in a tier', { prices: { ...prices, tiers: [{ ...tier, cached: 1 }] } }],
    ['a negative part in a tier', { prices: { ...prices, tiers: [{ ...tier, cache_read: -1 }] } }],
    ['a tier without a price', { prices: { ...prices, tiers: [{ above_context: 5, prompt: 1 }] } }],
    ['the same tier twice', { prices: { ...prices, tiers: [tier, tier] } }],
    ['tiers out of order', { prices: { ...prices, tiers: [tier, { ...tier, above_context: 999 }] } }],
    [
      'too many tiers',
      { prices: { ...prices, tiers: Array.from({ length: 9 }, (_, i) => ({ ...tier, above_context: i + 1 })) } },
    ],
    ['another prompt_price', { prices, prompt_price: 2 }],
    ['another completion_price', { prices, completion_price: 2 }],
    ['another request_price', { prices, request_price: 1 }],
  ];
  test.each(bad)('%s is rejected, and nothing changes', async (_, change) => {
    const model = await addModel({ prices });
    expect((await send('PUT', `${models}/${model.id}`, { ...change, context_length: 5 })).status).toBe(400);
    expect(await stored(model)).toEqual(model);
    const body = { model_id: 'acme/never', channel_id: model.channel_id, ...change };
    expect((await send('POST', models, body)).status).toBe(400);
  });

  test('the model list shows prices in dollars per token', async () => {
    const model = await addModel({ prices });
    const answer = await house.call(`/v1/models/${model.model_id}`, {
      headers: { authorization: `Bearer ${await root.key()}` },
    });
    expect(((await answer.json()) as Loose).pricing).toEqual({
      prompt: '0.000003',
      web_search: '0.014',
      completion: '0.000015',
      input_cache_read: '0.0000003',
      input_cache_write: '0.00000375',
      input_cache_write_1h: '0.000006',
      internal_reasoning: '0.00002',
      audio: '0.000032',
      audio_output: '0.000064',
      image_token: '0.000005',
      overrides: [
        { min_prompt_tokens: 100_001, prompt: '0.000006', completion: '0.0000225', input_cache_read: '0.0000006' },
      ],
    });
  });
});

describe('price sync', () => {
  const sync = async (data: Loose[], provider: string, fields: Record<string, unknown> = {}) => {
    const model = await addModel(fields, { provider });
    upstream.answer(() => Response.json({ data }));
    const result = await send('POST', `/api/admin/channels/${model.channel_id}/sync-models`, {});
    const rows = (await send('GET', `${models}?channel_id=${model.channel_id}&page_size=100`)).data.provider_models;
    return { result: result.data, rows: new Map<string, Loose>(rows.map((row: Loose) => [row.model_name, row])) };
  };

  test('reads prices from an upstream that publishes them', async () => {
    const told = {
      ...{ prompt: '0.000003', completion: '0.000015', request: '0', image: '0.0048', web_search: '0.01' },
      ...{ input_cache_read: '0.0000003', input_cache_write: '0.00000375', input_cache_write_1h: '0.000006' },
      ...{ internal_reasoning: '0', audio: '0.000032', image_token: 'nonsense' },
      overrides: [
        { min_prompt_tokens: 200_001, prompt: '0.000006', input_cache_read: '0.0000006' },
        { utc_start: '01:00', utc_end: '04:00', prompt: '1' },
      ],
    };
    const { rows } = await sync(
      [
        { id: 'acme/told', pricing: told },
        { id: 'acme/auto', pricing: { prompt: '-1', completion: '-1' } },
        { id: 'acme/odd', pricing: { prompt: 3, completion: 15 } },
        { id: 'acme/gift', pricing: { prompt: '0', completion: '0' } },
      ],
      'somebody',
    );
    const read = { prompt: 3, completion: 15, cache_read: 0.3, cache_write: 3.75, cache_write_1h: 6, audio_in: 32 };
    const { prompt: _, ...rest } = read;
    expect(rows.get('acme/told').prices).toEqual({
      ...read,
      search: 0.01,
      tiers: [{ above_context: 200_000, prompt: 6, ...rest, cache_read: 0.6 }],
    });
    expect(rows.get('acme/told').status).toBe(1);
    expect(rows.get('acme/auto')).toMatchObject({ status: 2, prices: { prompt: 0, completion: 0 } });
    expect(rows.get('acme/odd').status).toBe(2);
    expect(rows.get('acme/gift').status).toBe(1);
  });

  test('fills missing part prices of models at the listed price once, and leaves others unchanged', async () => {
    const listed = { model_name: 'gpt-5.4', prompt_price: 2.5, completion_price: 15 };
    const known = await sync([{ id: 'gpt-5.4' }], 'openai', listed);
    expect(known.result).toMatchObject({ kept: 1, completed: 1 });
    expect(known.rows.get('gpt-5.4').prices).toMatchObject({ prompt: 2.5, cache_read: 0.25, tiers: [{ prompt: 5 }] });
    const dearer = await sync([{ id: 'gpt-5.4' }], 'openai', { ...listed, prompt_price: 3 });
    expect(dearer.result.completed).toBe(0);
    expect(dearer.rows.get('gpt-5.4').prices).toEqual({ prompt: 3, completion: 15 });
    const decided = { model_name: 'gpt-5.4', prices: { prompt: 2.5, completion: 15 } };
    expect((await sync([{ id: 'gpt-5.4' }], 'openai', decided)).result.completed).toBe(0);
  });
});

/** What a request to this model leaves: the balance's change and the row of the log. */
async function billed(model: Loose, answer: Loose): Promise<{ spent: number; log: Loose; usage: Loose }> {
  const member = await house.user();
  await send('POST', `/api/admin/users/${member.id}/credits`, { quota: 100_000_000 });
  const balance = async (): Promise<number> =>
    ((await (await member.call('/api/user/self')).json()) as Loose).data.quota;
  const before = await balance();
  upstream.answer(() => Response.json(answer));
  const response = await house.call('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${await member.key()}` },
    body: { model: model.model_id, max_tokens: 1000, messages: [{ role: 'user', content: 'hi' }] },
  });
  if (response.status !== 200) throw new Error(await response.text());
  const { usage } = (await response.json()) as Loose;
  const { data } = (await (await member.call('/api/usage/logs')).json()) as Loose;
  expect(data.logs).toHaveLength(1);
  return { spent: before - (await balance()), log: data.logs[0], usage };
}

const said = {
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'hello' }],
  stop_reason: 'end_turn',
  usage: {
    input_tokens: 100,
    cache_read_input_tokens: 300,
    cache_creation_input_tokens: 250,
    cache_creation: { ephemeral_5m_input_tokens: 150, ephemeral_1h_input_tokens: 100 },
    output_tokens: 50,
  },
};
// 100 × 3 + 300 × 0.30 + 150 × 3.75 + 100 × 6 + 50 × 15 = 2,302.5 millionths of a dollar, half as many units.
const cost = 1152;

describe('a request with cached tokens', () => {
  test('is charged by part and logged with the tokens of each part', async () => {
    const model = await addModel({ prices }, { kind: 'anthropic' });
    const { spent, log, usage } = await billed(model, said);
    expect(spent).toBe(cost);
    expect(log).toMatchObject({
      quota: cost,
      shortfall: 0,
      prompt_tokens: 650,
      completion_tokens: 50,
      estimated: false,
    });
    expect(log).toMatchObject({ cache_read_tokens: 300, cache_write_tokens: 150, cache_write_1h_tokens: 100 });
    expect(log.parts.map(({ part, tokens }: Loose) => [part, tokens])).toEqual([
      ['cache_read', 300],
      ['cache_write', 150],
      ['cache_write_1h', 100],
      ['prompt', 100],
      ['completion', 50],
    ]);
    // In the words of the other wire.
    expect(usage.prompt_tokens_details).toEqual({
      cached_tokens: 300,
      cache_write_tokens: 250,
      cache_write_1h_tokens: 100,
    });
  });

  // Until a settlement of the relay names its price (`price: bill.candidate.price` in charge.ts), the costs are null.
  test('is logged with the cost of each part', async () => {
    const model = await addModel({ prices }, { kind: 'anthropic' });
    const { log } = await billed(model, said);
    const costs = Object.fromEntries(log.parts.map(({ part, cost }: Loose) => [part, cost]));
    expect(costs).toEqual({ prompt: 150, cache_read: 45, cache_write: 282, cache_write_1h: 300, completion: 375 });
    expect(Object.values<number>(costs).reduce((sum, one) => sum + one, 0)).toBe(cost);
  });
});

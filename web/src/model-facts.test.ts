import { expect, test } from 'bun:test';
import { measuredProviders, modelHealth, priceTable, priceWords, startModel, unitOf } from './model-facts.ts';
import { chosenModels, isCalled } from './model-list.ts';
import type { OfferedModel } from './models.ts';

const model = (id: string, fields: Partial<OfferedModel> = {}): OfferedModel => ({
  id,
  name: id,
  owned_by: id.split('/')[0]!,
  types: ['chat'],
  context_length: null,
  max_output_tokens: null,
  prices: { prompt: 0, completion: 0 },
  capabilities: [],
  providers: [],
  unavailable: [],
  members: [],
  health: null,
  ...fields,
});

test('without credits, the initial model is a free one', () => {
  const models = [model('a/paid', { prices: { prompt: 1, completion: 2 } }), model('b/free'), model('demo/chat')];
  expect(startModel(models, 1)).toBe('a/paid');
  expect(startModel(models, 0)).toBe('b/free');
  expect(startModel(models.slice(0, 1), 0)).toBe('a/paid');
});

const tiered = {
  prompt: 2.5,
  completion: 10,
  cache_read: 0.25,
  tiers: [
    { above_context: 200_000, prompt: 5, completion: 15, reasoning: 20 },
    { above_context: 500_000, prompt: 7, completion: 20, cache_read: 0.000001, request: 0.01 },
  ],
};

test('the price line names the unit of each price', () => {
  const words = (prices: OfferedModel['prices'], types: OfferedModel['types'] = ['chat']) =>
    priceWords({ prices, types });
  expect(words({ prompt: 2.5, completion: 10 })).toBe('$2.50 in · $10.00 out');
  expect(words({ prompt: 0.075, completion: 0 }, ['embedding'])).toBe('$0.075 in');
  expect(words({ prompt: 0, completion: 5 })).toBe('$0.00 in · $5.00 out');
  expect(words({ prompt: 0, completion: 0, request: 0.04 }, ['image'])).toBe('$0.04 / image');
  expect(words({ prompt: 0, completion: 0, request: 0.4 }, ['video'])).toBe('$0.40 / second');
  expect(words({ prompt: 1, completion: 2, request: 0.01 }, [])).toBe('$1.00 in · $2.00 out · $0.01 / request');
  expect(['speech', 'transcription', 'rerank', undefined].map(unitOf)).toEqual([
    'minute',
    'minute',
    'request',
    'request',
  ]);
  expect(words({ prompt: 0, completion: 0 })).toBe('Free');
  expect(words(tiered)).toBe('$2.50 in · $10.00 out · higher above 200K');
  // Free only at first: what follows costs.
  expect(words({ prompt: 0, completion: 0, tiers: [{ above_context: 8_000, prompt: 1, completion: 1 }] })).toBe(
    'higher above 8K',
  );
  expect(words(null)).toBe('Price of the models it calls');
});

test('the price table has every price component in every tier', () => {
  const { columns, rows } = priceTable({ prices: tiered, types: ['chat'] });
  expect(columns).toEqual(['Up to 200K', 'Above 200K', 'Above 500K']);
  expect(rows).toEqual([
    { label: 'Prompt', values: [2.5, 5, 7] },
    { label: 'Read from cache', values: [0.25, { as: 'Prompt' }, 0.000001] },
    { label: 'Completion', values: [10, 15, 20] },
    { label: 'Reasoning', values: [{ as: 'Completion' }, 20, { as: 'Completion' }] },
    { label: 'Each request', values: [0, 0, 0.01] },
  ]);
  expect(priceTable({ prices: { prompt: 0, completion: 0, request: 0.04 }, types: ['image'] })).toEqual({
    columns: ['Price'],
    rows: [{ label: 'Each image', values: [0.04] }],
  });
  expect(priceTable({ prices: { prompt: 0, completion: 0 }, types: ['chat'] }).rows).toHaveLength(2);
});

test('finds models whose id and name contain every word', () => {
  const sonnet = { id: 'anthropic/claude-sonnet-5', name: 'Claude Sonnet 5' };
  for (const query of ['', 'sonnet', 'SONNET 5', 'claude anthropic'])
    expect([query, isCalled(sonnet, query)]).toEqual([query, true]);
  expect(isCalled(sonnet, 'sonnet 4.')).toBe(false);
});

test('filters and sorts the list; models without a value come last', () => {
  const models = [
    model('b/cheap', { prices: { prompt: 1, completion: 1 }, context_length: 8_000, providers: ['b'] }),
    model('a/dear', { prices: tiered, context_length: 400_000, capabilities: ['vision'], providers: ['a', 'b'] }),
    model('svc/svc-ms', { prices: null }),
    model('a/free', { types: ['embedding'] }),
  ];
  const all = { q: '', capability: '', provider: '', type: '', sort: '' };
  const ids = (filter: Partial<typeof all>) => chosenModels(models, { ...all, ...filter }).map(({ id }) => id);
  expect(ids({})).toEqual(['a/dear', 'a/free', 'b/cheap', 'svc/svc-ms']);
  expect(ids({ sort: 'price' })).toEqual(['a/free', 'b/cheap', 'a/dear', 'svc/svc-ms']);
  expect(ids({ sort: 'expensive' })).toEqual(['a/dear', 'b/cheap', 'a/free', 'svc/svc-ms']);
  expect(ids({ sort: 'context' })).toEqual(['a/dear', 'b/cheap', 'a/free', 'svc/svc-ms']);
  expect(ids({ sort: 'constructor' })).toHaveLength(4);
  expect(ids({ capability: 'vision' })).toEqual(['a/dear']);
  expect(ids({ provider: 'b', q: 'e' })).toEqual(['a/dear', 'b/cheap']);
  expect(ids({ type: 'embedding' })).toEqual(['a/free']);
  expect(ids({ q: 'nothing' })).toEqual([]);
});

test('a model’s health follows its own success rate', () => {
  expect(modelHealth(model('a'))).toBeNull();
  const health = { circuit_state: 'closed' as const, requests_last_hour: 4, success_rate_last_hour: 0.25 };
  expect(modelHealth(model('a', { health }))?.label).toBe('Failing');
});

test('a model without recent requests shows the health of its providers', () => {
  const health = (requests_last_hour: number, success_rate_last_hour = 1) => ({
    health: { circuit_state: 'closed' as const, requests_last_hour, success_rate_last_hour },
  });
  const quiet = model('a/quiet', { providers: ['good', 'bad'], ...health(0) });
  const known = measuredProviders([
    quiet,
    model('a/asked', { providers: ['good'], ...health(9) }),
    model('b/asked', { providers: ['bad'], ...health(11, 0) }),
    // Nobody knows which of them answered.
    model('c/asked', { providers: ['good', 'bad', 'other'], ...health(500) }),
  ]);
  const label = (fields: Partial<OfferedModel>) => modelHealth({ ...quiet, ...fields }, known)?.label;
  expect(label({ providers: ['good'] })).toBe('Provider: healthy');
  expect(label({})).toBe('Provider: failing');
  expect(label({ unavailable: ['bad'] })).toBe('Provider: healthy');
  expect(label({ providers: ['other'] })).toBe('Not measured');
  expect(label(health(2))).toBe('Healthy');
});

import { expect, test } from 'bun:test';
import type { ProviderModel } from '../../catalog.ts';
import { bodyOf, emptyModel, faultsOf, fieldsOf, isFree } from './model-fields.ts';
import { partFields, tierFields } from './part-prices.ts';

test('reports missing and negative values per field', () => {
  expect(Object.keys(faultsOf(emptyModel))).toEqual(['model_id', 'channel']);
  expect(faultsOf({ ...emptyModel, model_id: 'a/b', channel: '1', prompt_price: '' })).toHaveProperty('prompt_price');
  for (const name of ['max_output_tokens', 'context_length', 'completion_price'] as const)
    expect(faultsOf({ ...emptyModel, [name]: -1 })).toHaveProperty(name);
});

test('converts numbers and uses the public name when no upstream name is given', () => {
  const body = bodyOf({ ...emptyModel, model_id: 'a/b', channel: '7', prompt_price: '2.5' });
  expect(body).toMatchObject({ model_id: 'a/b', model_name: 'a/b', channel_id: 7, prompt_price: 2.5 });
  expect(body).not.toHaveProperty('channel');
});

test('part prices are sent unchanged, and only if there are any', () => {
  const named = { ...emptyModel, model_id: 'a/b', channel: '7', prompt_price: 3, completion_price: 15 };
  expect(bodyOf(named)).not.toHaveProperty('prices');
  expect(bodyOf({ ...named, hadParts: true }).prices).toEqual({ prompt: 3, completion: 15, request: 0, tiers: [] });
  const tier = { above_context: 200_000, prompt: 6, completion: 22.5, cache_read: 0.6, request: 0.02 };
  const prices = {
    prompt: 3,
    completion: 15,
    request: 0.01,
    cache_read: 0.3,
    audio_in: 0,
    search: 0.01,
    tiers: [tier],
  };
  const model = { ...bodyOf(named), request_price: 0.01, prices } as unknown as ProviderModel;
  expect(bodyOf(fieldsOf(model)).prices).toEqual(prices);
});

test('long-prompt tiers require prices and increasing sizes', () => {
  const tier = tierFields({ above_context: 100, prompt: 1, completion: 2 }, 0);
  const fault = (...tiers: (typeof tier)[]) => faultsOf({ ...emptyModel, parts: partFields(), tiers }).tiers;
  expect(fault(tier, { ...tier, above_context: '200' })).toBeUndefined();
  expect(fault(tier, { ...tier })).toContain('larger');
  expect(fault({ ...tier, completion: '' })).toContain('Enter a size');
});

test('a model is free only if none of its parts has a price', () => {
  expect(isFree(emptyModel)).toBe(true);
  expect(isFree({ ...emptyModel, prompt_price: '' })).toBe(true);
  expect(isFree({ ...emptyModel, request_price: 0.01 })).toBe(false);
  expect(isFree({ ...emptyModel, parts: partFields({ audio_in: 2 }) })).toBe(false);
  const tiers = [tierFields({ above_context: 100, prompt: 1, completion: 2 }, 0)];
  expect(isFree({ ...emptyModel, tiers })).toBe(false);
});

import { expect, test } from 'bun:test';
import type { ProviderModel } from '../catalog.ts';
import { changesOf, choiceOf, isFree, priced } from './model-choices.ts';

const model = { id: 7, status: 2, prompt_price: 0, completion_price: 0, request_price: 0 } as ProviderModel;

test('a model is selected when it gets its first price, and counts as free until then', () => {
  const empty = choiceOf(model);
  expect([isFree(model, empty), empty.on]).toEqual([true, false]);
  expect(priced(model, empty, { prompt: 2 })).toEqual({ on: true, prompt: 2, completion: 0 });
  expect(priced(model, { ...empty, prompt: 2 }, { completion: 3 }).on).toBe(false);
  expect(priced(model, empty, { prompt: '' }).on).toBe(false);
  expect(isFree({ ...model, request_price: 0.01 }, empty)).toBe(false);
});

test('sends only changed fields', () => {
  expect(changesOf([model], {})).toEqual([]);
  expect(changesOf([model], { 7: { on: true, prompt: '2.5', completion: 0 } })).toEqual([
    { id: 7, status: 1, prompt_price: 2.5 },
  ]);
});

import { expect, test } from 'bun:test';
import { bodyOf, emptyModel, faultsOf } from './model-fields.ts';

test('faults are named per field', () => {
  expect(Object.keys(faultsOf(emptyModel))).toEqual(['model_id', 'channel']);
  expect(faultsOf({ ...emptyModel, model_id: 'a/b', channel: '1', prompt_price: '' })).toHaveProperty('prompt_price');
});

test('the body has numbers, and the public name where no other is given', () => {
  const body = bodyOf({ ...emptyModel, model_id: 'a/b', channel: '7', prompt_price: '2.5' });
  expect(body).toMatchObject({ model_id: 'a/b', model_name: 'a/b', channel_id: 7, prompt_price: 2.5 });
  expect(body).not.toHaveProperty('channel');
});

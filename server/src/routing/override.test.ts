import { expect, test } from 'bun:test';
import { AppError } from '../lib/errors.ts';
import { parseOverride } from './override.ts';

test('absent and null mean no override; unknown fields are ignored', () => {
  expect(parseOverride(undefined)).toBeNull();
  expect(parseOverride(null)).toBeNull();
  expect(parseOverride({ only: ['openai'], quantizations: ['fp8'] })).toEqual({ only: ['openai'] });
  expect(parseOverride({ max_price: { prompt: 1 } })).toEqual({ max_price: { prompt: 1 } });
});

test('a field that is null is not set, as typed clients send it', () => {
  const names = ['order', 'only', 'ignore', 'allow_fallbacks', 'sort', 'max_price', 'strategy'];
  for (const name of names) expect(parseOverride({ [name]: null })).toEqual({});
  const max_price = { prompt: 1, completion: null, request: null };
  expect(parseOverride({ only: ['openai'], sort: null, max_price })).toEqual({
    ...{ only: ['openai'], max_price: { prompt: 1 } },
  });
});

test.each([
  ['openai', 'provider'],
  [[], 'provider'],
  [{ strategy: 'fastest' }, 'provider.strategy'],
  [{ sort: 'random' }, 'provider.sort'],
  [{ max_price: -1 }, 'provider.max_price'],
  [{ max_price: Number.POSITIVE_INFINITY }, 'provider.max_price'],
  [{ max_price: '3' }, 'provider.max_price'],
  [{ allow_fallbacks: 'no' }, 'provider.allow_fallbacks'],
  [{ order: 'openai' }, 'provider.order'],
  [{ only: ['openai', 7] }, 'provider.only.1'],
  [{ ignore: new Array(101).fill('a') }, 'provider.ignore'],
])('%j is rejected with param %s', (value, param) => {
  try {
    parseOverride(value);
    throw new Error('was taken');
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    expect((error as AppError).code).toBe('invalid_value');
    expect((error as AppError).extras.param).toBe(param);
  }
});

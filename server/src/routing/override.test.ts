import { expect, test } from 'bun:test';
import { AppError } from '../lib/errors.ts';
import { parseOverride } from './override.ts';

test('absent and null mean no override; unknown fields are ignored', () => {
  expect(parseOverride(undefined)).toBeNull();
  expect(parseOverride(null)).toBeNull();
  expect(parseOverride({ only: ['openai'], unheard_of: true, preferred_max_latency: 1 })).toEqual({ only: ['openai'] });
  expect(parseOverride({ max_price: { prompt: 1 } })).toEqual({ max_price: { prompt: 1 } });
});

test('a field that is null is not set, as typed clients send it', () => {
  const names = ['order', 'only', 'ignore', 'allow_fallbacks', 'sort', 'max_price', 'strategy'];
  names.push('data_collection', 'zdr', 'quantizations', 'enforce_distillable_text', 'require_parameters');
  for (const name of names) expect(parseOverride({ [name]: null })).toEqual({});
  const max_price = { prompt: 1, completion: null, request: null };
  expect(parseOverride({ only: ['openai'], sort: null, max_price })).toEqual({
    ...{ only: ['openai'], max_price: { prompt: 1 } },
  });
});

/** The members that OpenRouter documents; each is obeyed, refused, or a preference whose loss changes no promise. */
const documented: [name: string, given: unknown, read: unknown][] = [
  ['order', ['a'], ['a']],
  ['only', ['a'], ['a']],
  ['ignore', ['a'], ['a']],
  ['allow_fallbacks', false, false],
  ['require_parameters', true, true],
  ['data_collection', 'deny', 'deny'],
  ['data_collection', 'allow', 'allow'],
  ['zdr', true, true],
  ['enforce_distillable_text', true, true],
  ['quantizations', ['fp8', 'unknown'], ['fp8', 'unknown']],
  ['sort', 'price', 'price'],
  ['sort', { by: 'latency', partition: 'model' }, 'latency'],
  ['sort', { by: 'throughput', partition: null }, 'throughput'],
  ['max_price', { prompt: 1, image: null, audio: null }, { prompt: 1 }],
  ['preferred_min_throughput', { p90: 50 }, undefined],
  ['preferred_max_latency', 2, undefined],
];

test.each(documented)('provider.%s as %j is read as %j', (name, given, read) => {
  expect(parseOverride({ [name]: given }) as unknown).toEqual(read === undefined ? {} : { [name]: read });
});

test.each([
  ['openai', 'provider'],
  [{ data_collection: 'none' }, 'provider.data_collection'],
  [{ zdr: 'yes' }, 'provider.zdr'],
  [{ quantizations: 'fp8' }, 'provider.quantizations'],
  [{ require_parameters: 1 }, 'provider.require_parameters'],
  [{ enforce_distillable_text: 'true' }, 'provider.enforce_distillable_text'],
  [{ sort: { by: 'random' } }, 'provider.sort.by'],
  [{ sort: { by: 'price', partition: 'none' } }, 'provider.sort.partition'],
  [{ max_price: { image: 0.01 } }, 'provider.max_price.image'],
  [{ max_price: { cached: 0.01 } }, 'provider.max_price.cached'],
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

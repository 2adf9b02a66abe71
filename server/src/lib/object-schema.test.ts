import { expect, test } from 'bun:test';
import { asFunctionParameters, asOneObject } from './object-schema.ts';

const text = { type: 'string' };
const number = { type: 'number' };
const one = (kind: string, more: object) => ({
  type: 'object',
  properties: { kind: { const: kind }, ...more },
  required: ['kind', ...Object.keys(more)],
});

test.each<[string, object, object]>([
  [
    'alternatives that only require',
    { type: 'object', properties: { a: text, b: text }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    { type: 'object', properties: { a: text, b: text } },
  ],
  [
    'a discriminated union',
    { oneOf: [one('file', { path: text }), one('page', { path: number, url: text })] },
    {
      type: 'object',
      properties: { kind: { enum: ['file', 'page'] }, path: { anyOf: [text, number] }, url: text },
      required: ['kind', 'path'],
    },
  ],
  [
    'parts that all apply, and one that must not',
    {
      properties: { a: text },
      required: ['a'],
      allOf: [{ properties: { b: text }, required: ['b'] }, { anyOf: [{ required: ['c'] }, { required: ['c', 'd'] }] }],
      not: { required: ['e'] },
    },
    { type: 'object', properties: { a: text, b: text }, required: ['a', 'b', 'c'] },
  ],
  [
    'references',
    {
      $ref: '#/$defs/Both',
      $defs: {
        Both: { anyOf: [{ $ref: '#/$defs/A' }, { type: 'null' }, true] },
        A: { properties: { a: text }, required: ['a'] },
      },
      description: 'd',
    },
    {
      type: 'object',
      properties: { a: text },
      required: ['a'],
      $defs: {
        Both: { anyOf: [{ $ref: '#/$defs/A' }, { type: 'null' }, true] },
        A: { properties: { a: text }, required: ['a'] },
      },
      description: 'd',
    },
  ],
  [
    'names of every object',
    { anyOf: [{ properties: { constructor: text } }, { properties: { toString: number } }] },
    { type: 'object', properties: { constructor: text, toString: number } },
  ],
])('%s become one object', (_, schema, whole) => {
  expect(asOneObject(schema as Record<string, unknown>)).toEqual(whole as Record<string, unknown>);
});

test('an object without unions at the top is the same', () => {
  const schema = { type: 'object', properties: { a: { anyOf: [text, number] } } };
  expect(asOneObject(schema)).toBe(schema);
});

test('recursion ends', () => {
  const recursive = { $ref: '#/$defs/A', $defs: { A: { anyOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/A' }] } } };
  expect(asOneObject(recursive)).toMatchObject({ type: 'object', properties: {} });
  const chain = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, i) => [`D${i}`, { anyOf: [{ $ref: `#/$defs/D${i + 1}` }] }]),
  );
  expect(asOneObject({ $ref: '#/$defs/D0', $defs: chain })).toMatchObject({ type: 'object', properties: {} });
});

test('branches that refer to each other many times are work for once', () => {
  const members = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`p${i}`, { ...text, default: i }]));
  const next = (i: number) => Array.from({ length: 100 }, () => ({ $ref: `#/$defs/D${i + 1}` }));
  const $defs = Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [`D${i}`, { properties: members, anyOf: next(i), oneOf: next(i) }]),
  );
  const whole = asOneObject({ $ref: '#/$defs/D0', $defs });
  expect(Object.keys(whole.properties as object)).toHaveLength(400);
  const oneOf = Array.from({ length: 5000 }, (_, i) => one(`k${i}`, {}));
  expect((asOneObject({ oneOf }).properties as { kind: { enum: unknown[] } }).kind.enum).toHaveLength(5000);
});

test.each<[string, object, object]>([
  ['no parameters', {}, { type: 'object', properties: {} }],
  ['an object without properties', { type: 'object', title: 't' }, { type: 'object', title: 't', properties: {} }],
  [
    'lists of anything, wherever they are',
    {
      type: 'object',
      properties: {
        items: { type: 'array' },
        deep: { type: 'object', properties: { default: { type: ['array', 'null'] } } },
        either: { anyOf: [text, { type: 'array' }], default: { type: 'array' } },
        map: { additionalProperties: { type: 'array', items: { type: 'array' } } },
        one: { $ref: '#/$defs/A' },
      },
      $defs: { A: { type: 'array' } },
    },
    {
      type: 'object',
      properties: {
        items: { type: 'array', items: {} },
        deep: { type: 'object', properties: { default: { type: ['array', 'null'], items: {} } } },
        either: { anyOf: [text, { type: 'array', items: {} }], default: { type: 'array' } },
        map: { additionalProperties: { type: 'array', items: { type: 'array', items: {} } } },
        one: { $ref: '#/$defs/A' },
      },
      $defs: { A: { type: 'array', items: {} } },
    },
  ],
])('%s: what OpenAI requires is added', (_, schema, whole) => {
  expect(asFunctionParameters(schema as Record<string, unknown>)).toEqual(whole as Record<string, unknown>);
});

test('complete parameters are the same', () => {
  const schema = { type: 'object', properties: { a: { type: 'array', items: text }, b: { type: 'object' } } };
  expect(asFunctionParameters(schema)).toBe(schema);
});

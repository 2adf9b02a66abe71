import { expect, test } from 'bun:test';
import { parametersOf } from './parameters.ts';
import { toGeminiSchema } from './schema.ts';

test('translates references, unions, constants and recursion', () => {
  const schema = {
    $schema: 'x',
    type: 'object',
    additionalProperties: false,
    properties: {
      a: { $ref: '#/$defs/A' },
      b: { anyOf: [{ type: 'string', format: 'uuid' }, { type: 'null' }] },
      c: { const: 'k' },
      d: { allOf: [{ $ref: '#/$defs/A' }], description: 'd' },
    },
    $defs: { A: { type: 'object', properties: { n: { type: 'integer', exclusiveMinimum: 0 } }, required: ['n'] } },
  };
  const a = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  expect(toGeminiSchema(schema)).toEqual({
    type: 'object',
    properties: {
      a,
      b: { type: 'string', nullable: true },
      c: { type: 'string', enum: ['k'] },
      d: { ...a, description: 'd' },
    },
  });
  const tree = { $defs: { T: { type: 'object', properties: { t: { $ref: '#/$defs/T' } } } }, $ref: '#/$defs/T' };
  expect(toGeminiSchema(tree)).toEqual({ type: 'object', properties: { t: { type: 'object' } } });
  const names = Array.from({ length: 40 }, (_, i) => `N${i}`);
  const doubling = Object.fromEntries(
    names.map((name, i) => {
      const next = { $ref: `#/$defs/N${i + 1}` };
      return [name, { type: 'object', properties: { l: next, r: next } }];
    }),
  );
  expect(JSON.stringify(toGeminiSchema({ $defs: doubling, $ref: '#/$defs/N0' })).length).toBeLessThan(1_000_000);
});

test('translates constants that cannot be converted to a string', () => {
  const odd = { toString: 1 };
  expect(toGeminiSchema({ const: odd })).toMatchObject({ enum: ['{"toString":1}'] });
  expect(toGeminiSchema({ enum: [odd, 2, true, null, 'a'] })).toMatchObject({
    enum: ['{"toString":1}', '2', 'true', 'a'],
  });
});

test('drops keywords that only other vendors know, at any depth', () => {
  const marked = { type: 'string', encrypted: true, deprecated: true, 'x-order': 1, minLength: 1, default: 'a' };
  expect(toGeminiSchema({ type: 'object', properties: { encrypted: marked }, required: ['encrypted'] })).toEqual({
    type: 'object',
    properties: { encrypted: { type: 'string', minLength: 1, default: 'a' } },
    required: ['encrypted'],
  });
});

const table: [name: string, given: object, taken: object][] = [
  ['an untyped array', { type: 'array' }, { type: 'array', items: {} }],
  [
    'an array of arrays',
    { type: 'array', items: { type: 'array' } },
    { type: 'array', items: { type: 'array', items: {} } },
  ],
  ['a tuple', { type: 'array', items: [{ type: 'string' }] }, { type: 'array', items: {} }],
  ['items: true', { type: 'array', items: true }, { type: 'array', items: {} }],
  [
    'true and false schemas',
    { type: 'object', properties: { a: true, b: false }, required: ['a', 'b'] },
    { type: 'object', properties: { a: {} }, required: ['a'] },
  ],
  [
    'required properties that are not defined',
    { type: 'object', properties: { a: { type: 'object', required: ['x'] } }, required: ['a', 'gone'] },
    { type: 'object', properties: { a: { type: 'object' } }, required: ['a'] },
  ],
  [
    'no type',
    { properties: { a: { items: { type: 'string' } } } },
    { type: 'object', properties: { a: { type: 'array', items: { type: 'string' } } } },
  ],
  [
    'several types',
    { type: ['array', 'string', 'null'], items: { type: 'integer' }, maxItems: 2, minLength: 1, description: 'd' },
    {
      anyOf: [
        { type: 'array', items: { type: 'integer' }, maxItems: 2, description: 'd', nullable: true },
        { type: 'string', minLength: 1, description: 'd', nullable: true },
      ],
    },
  ],
  [
    'several types, one of them an untyped array',
    { type: ['array', 'boolean'] },
    { anyOf: [{ type: 'array', items: {} }, { type: 'boolean' }] },
  ],
  [
    'alternative required members',
    {
      ...{ type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } },
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
    },
    { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } },
  ],
  ['a type or anything', { anyOf: [{ type: 'string' }, {}], description: 'd' }, { description: 'd' }],
  [
    'alternatives with descriptions',
    { oneOf: [{ type: 'string' }, { type: 'integer', description: 'i' }], description: 'd' },
    {
      anyOf: [
        { type: 'string', description: 'd' },
        { type: 'integer', description: 'i' },
      ],
    },
  ],
  [
    'an enum of numbers',
    { type: 'integer', enum: [1, 2], description: 'How many' },
    { type: 'integer', description: 'How many. One of: 1, 2' },
  ],
];

test.each(table)('rewrites what Gemini rejects but other vendors accept: %s', (_, given, taken) => {
  expect(toGeminiSchema(given as never)).toEqual(taken as never);
});

test('merges alternative objects into one for function parameters', () => {
  const text = { type: 'string' };
  const kinds = (word: 'anyOf' | 'oneOf') => ({
    type: 'object',
    [word]: [
      { properties: { kind: { const: 'file' }, path: text, size: text }, required: ['kind', 'path'] },
      { properties: { kind: { const: 'page' }, url: text, size: { type: 'integer' } }, required: ['kind', 'url'] },
    ],
  });
  const whole = {
    type: 'object',
    properties: {
      kind: { type: 'string', enum: ['file', 'page'] },
      ...{ path: text, size: { anyOf: [text, { type: 'integer' }] }, url: text },
    },
    required: ['kind'],
  };
  expect(parametersOf(kinds('oneOf'))).toEqual(whole);
  expect(parametersOf(kinds('anyOf'))).toEqual(whole);
  for (const none of [undefined, {}, { type: 'object' }, { anyOf: [text, { type: 'integer' }] }])
    expect(parametersOf(none)).toBeUndefined();
});

test('enums without their empty texts, which Gemini refuses', () => {
  const properties = {
    a: { type: 'string', enum: ['', 'eq'] },
    b: { type: 'string', enum: [''], description: 'b' },
    c: { const: '' },
    d: { type: ['string', 'null'], enum: ['', null] },
  };
  expect(toGeminiSchema({ type: 'object', properties }).properties).toEqual({
    a: { type: 'string', enum: ['eq'] },
    b: { type: 'string', description: 'b' },
    c: { type: 'string' },
    d: { type: 'string', nullable: true },
  });
});

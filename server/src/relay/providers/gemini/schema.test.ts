import { expect, test } from 'bun:test';
import { toGeminiSchema } from './schema.ts';

test('schemas: references, unions, constants and recursion', () => {
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

test('schemas: constants that can be made into no text by themselves', () => {
  const odd = { toString: 1 };
  expect(toGeminiSchema({ const: odd })).toMatchObject({ enum: ['{"toString":1}'] });
  expect(toGeminiSchema({ enum: [odd, 2, true, null, 'a'] })).toMatchObject({
    enum: ['{"toString":1}', '2', 'true', 'a'],
  });
});

test('what only other vendors know is left out, wherever it stands', () => {
  const marked = { type: 'string', encrypted: true, deprecated: true, 'x-order': 1, minLength: 1, default: 'a' };
  expect(toGeminiSchema({ type: 'object', properties: { encrypted: marked }, required: ['encrypted'] })).toEqual({
    type: 'object',
    properties: { encrypted: { type: 'string', minLength: 1, default: 'a' } },
    required: ['encrypted'],
  });
});

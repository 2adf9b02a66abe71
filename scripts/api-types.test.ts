import { expect, test } from 'bun:test';
import { apiTypes, typeOf } from './api-types.ts';

test('schemas become types', () => {
  expect(typeOf({ type: 'integer' })).toBe('number');
  expect(typeOf({ type: ['string', 'null'] })).toBe('(string | null)');
  expect(typeOf({ type: 'string', nullable: true })).toBe('(string | null)');
  expect(typeOf({ enum: ['a', 2, null] })).toBe('("a" | 2 | null)');
  expect(typeOf({ const: true })).toBe('true');
  expect(typeOf({ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } })).toBe(
    '(string | number)[]',
  );
  expect(typeOf({ type: 'array', prefixItems: [{ type: 'string' }, { type: 'boolean' }] })).toBe('[string, boolean]');
  expect(typeOf({ allOf: [{ $ref: '#/components/schemas/User' }, { type: 'object', properties: { a: {} } }] })).toBe(
    '(components["schemas"]["User"] & { "a"?: unknown; })',
  );
  expect(typeOf({ type: 'object', additionalProperties: { type: 'number' } })).toBe('Record<string, number>');
  expect(typeOf({ type: 'object' })).toBe('Record<string, unknown>');
  expect(typeOf({})).toBe('unknown');
});

const document = {
  paths: {
    '/things/{id}': {
      parameters: [{ $ref: '#/components/parameters/Id' }],
      get: {
        parameters: [{ name: 'page-size', in: 'query', schema: { type: 'integer' } }],
        responses: {
          200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
          204: {},
          default: { content: { 'application/json': {} } },
        },
      },
      put: {
        requestBody: { required: true, content: { 'application/json': { schema: { type: 'string' } } } },
        responses: {},
      },
    },
  },
  components: {
    schemas: { Thing: { type: 'object', properties: { id: { type: 'integer' }, name: {} }, required: ['id'] } },
    parameters: { Id: { name: 'id', in: 'path', required: true, schema: { type: 'integer' } } },
  },
};

test('a document becomes paths and components', () => {
  const text = apiTypes(document);
  expect(text).toContain('"/things/{id}": {');
  expect(text).toContain('path: { "id": number; }; cookie?: never;');
  expect(text).toContain('query?: { "page-size"?: number; };');
  expect(text).toContain('requestBody: { content: { "application/json": string; }; };');
  expect(text).toContain(
    '200: { headers: Record<string, unknown>; content: { "application/json": components["schemas"]["Thing"]; }; };',
  );
  expect(text).toContain('204: { headers: Record<string, unknown>; content?: never; };');
  expect(text).toContain('"default": {');
  expect(text).toContain('post?: never;');
  expect(text).toContain('"Thing": { "id": number; "name"?: unknown; };');
  // What does not parse would only be noticed when the web app is type-checked.
  expect(() => new Bun.Transpiler({ loader: 'ts' }).transformSync(text)).not.toThrow();
});

test('an unresolved reference is an error', () => {
  const broken = {
    paths: { '/a': { get: { parameters: [{ $ref: '#/components/parameters/No', name: '', in: '' }] } } },
  };
  expect(() => apiTypes(broken)).toThrow('the document has no #/components/parameters/No');
});

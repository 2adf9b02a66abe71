import { describe, expect, test } from 'bun:test';
import { openApiDocument } from '../../../../server/src/openapi-document.ts';
import reference from '../../language/zh-CN/server-reference.ts';
import { byTag, type Document, endpointsOf, search } from './openapi.ts';
import { curlOf, exampleOf, fieldsBelow, limitsText, type Schemas, typeText } from './schemas.ts';

const document = (await openApiDocument()) as Document;
const endpoints = endpointsOf(document);
const schemas: Schemas = document.components?.schemas ?? {};

describe('the service’s own document', () => {
  test('every endpoint can be shown', () => {
    expect(endpoints.length).toBeGreaterThan(40);
    expect(new Set(endpoints.map(({ id }) => id)).size).toBe(endpoints.length);
    for (const endpoint of endpoints) {
      expect(endpoint.summary).not.toBe('');
      expect(curlOf(endpoint, schemas, 'http://x')).toStartWith('curl');
      for (const { schema } of endpoint.answers) if (schema) expect(typeText(schema, schemas)).not.toBe('');
    }
  });

  test('it is grouped, the relay first, and searched by words', () => {
    expect(byTag(endpoints)[0]![0]).toBe('Relay');
    expect(search(endpoints, 'post chat')[0]!.path).toBe('/v1/chat/completions');
    expect(search(endpoints, 'no such thing')).toEqual([]);
  });

  test('groups, and what callers need first, are told in Chinese too', () => {
    const names = new Set(['OAuth', 'MCP']);
    const groups = byTag(endpoints).filter(([tag]) => !names.has(tag));
    const needed = [...groups.map(([tag]) => `${tag}##tag`), ...groups[0]![1].map(({ english }) => english)];
    expect(needed.filter((text) => !Object.hasOwn(reference, text))).toEqual([]);
  });

  test('a call carries its credential and the fields it must have', () => {
    const chat = endpoints.find(({ path }) => path === '/v1/chat/completions')!;
    const line = curlOf(chat, schemas, 'http://x');
    expect(line).toContain('Bearer $SVC_API_KEY');
    expect(line).toContain('"model"');
  });
});

test('types, limits and examples', () => {
  expect(typeText({ anyOf: [{ type: 'string' }, { type: 'null' }] }, {})).toBe('string or null');
  expect(typeText({ type: 'array', items: { $ref: '#/components/schemas/Key' } }, {})).toBe('array of Key');
  expect(limitsText({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER })).toBe('');
  expect(limitsText({ minLength: 1, maxLength: 50 })).toBe('1 to 50 characters');
  const loop: Schemas = { Node: { type: 'object', required: ['next'], properties: { next: { $ref: '#/x/Node' } } } };
  expect(() => exampleOf({ $ref: '#/x/Node' }, loop)).not.toThrow();
  expect(fieldsBelow({ type: 'array', items: { properties: { a: { type: 'string' } } } }, {})).toHaveLength(1);
});

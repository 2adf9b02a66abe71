import { describe, expect, test } from 'bun:test';
import { openApiDocument } from '../../../../server/src/openapi-document.ts';
import reference from '../../language/zh-CN/reference/index.ts';
import { byTag, type Document, endpointsOf, search } from './openapi.ts';
import { curlOf, exampleOf, fieldsBelow, limitsText, type Schemas, typeText } from './schemas.ts';

const document = (await openApiDocument()) as Document;
const endpoints = endpointsOf(document);
const schemas: Schemas = document.components?.schemas ?? {};

describe('the OpenAPI document of the service', () => {
  test('every endpoint has an id, a summary, a curl example and types', () => {
    expect(endpoints.length).toBeGreaterThan(40);
    expect(new Set(endpoints.map(({ id }) => id)).size).toBe(endpoints.length);
    for (const endpoint of endpoints) {
      expect(endpoint.summary).not.toBe('');
      expect(curlOf(endpoint, schemas, 'http://x')).toStartWith('curl');
      for (const { schema } of endpoint.answers) if (schema) expect(typeText(schema, schemas)).not.toBe('');
    }
  });

  test('endpoints are grouped with the relay first, and found by words', () => {
    expect(byTag(endpoints)[0]![0]).toBe('Relay');
    expect(search(endpoints, 'post chat')[0]!.path).toBe('/v1/chat/completions');
    expect(search(endpoints, 'no such thing')).toEqual([]);
  });

  test('the Chinese reference translates every text of the document and has no unused text', () => {
    const names = ['OAuth', 'MCP'];
    const tags = byTag(endpoints).map(([tag]) => tag);
    const texts = new Set(tags.filter((tag) => !names.includes(tag)).map((tag) => `${tag}##tag`));
    const gather = (part: object): void => {
      for (const [name, value] of Object.entries(part)) {
        if (/^(?:summary|description)$/.test(name) && typeof value === 'string') texts.add(value);
        else if (typeof value === 'object' && value !== null) gather(value);
      }
    };
    gather(document);
    const told = new Set(Object.keys(reference));
    expect([[...texts.difference(told)], [...told.difference(texts)]]).toEqual([[], []]);
  });

  test.each([
    ['POST /v1/chat/completions', '200', ['text/event-stream'], true],
    ['GET /api/usage/logs', '200', ['text/csv'], true],
    ['GET /scim/v2/Users', '200', [], true],
    ['GET /v1/videos/{jobId}/content', '206', ['video/*'], false],
    ['GET /api/auth/{provider}/start', '302', [], false],
  ])('%s shows the media types of its answers, and the fields of JSON', (name, status, types, hasFields) => {
    const { answers } = endpoints.find(({ method, path }) => `${method} ${path}` === name)!;
    const answer = answers.find((one) => one.status === status)!;
    expect([answer.types, answer.schema !== undefined]).toEqual([types, hasFields]);
  });

  test('a curl example has the credential and the required fields', () => {
    const chat = endpoints.find(({ path }) => path === '/v1/chat/completions')!;
    const line = curlOf(chat, schemas, 'http://x');
    expect(line).toContain('Bearer $SVC_API_KEY');
    expect(line).toContain('"model"');
  });
});

test('types, limits and examples are derived from schemas', () => {
  expect(typeText({ anyOf: [{ type: 'string' }, { type: 'null' }] }, {})).toBe('string or null');
  expect(typeText({ type: 'array', items: { $ref: '#/components/schemas/Key' } }, {})).toBe('array of Key');
  expect(limitsText({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER })).toBe('');
  expect(limitsText({ minLength: 1, maxLength: 50 })).toBe('1 to 50 characters');
  const loop: Schemas = { Node: { type: 'object', required: ['next'], properties: { next: { $ref: '#/x/Node' } } } };
  expect(() => exampleOf({ $ref: '#/x/Node' }, loop)).not.toThrow();
  expect(fieldsBelow({ type: 'array', items: { properties: { a: { type: 'string' } } } }, {})).toHaveLength(1);
});

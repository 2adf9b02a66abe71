import { beforeAll, expect, test } from 'bun:test';
import { Ajv, addFormats } from '@modelcontextprotocol/server/validators/ajv';
import { openTestApp } from '../../app.fixture.ts';

type Media = { content?: Record<string, unknown> };
type Document = {
  paths: Record<
    string,
    Record<
      string,
      {
        parameters?: { in: string; name: string }[];
        requestBody?: Media & { required?: boolean };
        responses: Record<string, Media>;
      }
    >
  >;
  components: { schemas: Record<string, { properties: Record<string, unknown> }> };
};

let text: string;
let { paths, components } = {} as Document;
beforeAll(async () => {
  const service = await openTestApp();
  text = await (await service.call('/openapi.json')).text();
  ({ paths, components } = JSON.parse(text) as Document);
  await service.close();
});

test('each body is described with its media type', () => {
  const typesOf = (path: string) => Object.keys(paths[path]!.post!.requestBody!.content!);
  expect(typesOf('/v1/audio/transcriptions')).toEqual(['multipart/form-data']);
  expect(typesOf('/v1/audio/translations')).toEqual(['multipart/form-data']);
  expect(typesOf('/v1/chat/completions')).toEqual(['application/json']);
  expect(typesOf('/api/oauth2/token')).toEqual(['application/x-www-form-urlencoded', 'application/json']);
});

test('a body is required where a request without one is refused', () => {
  const required = (path: string, method: string) => paths[path]![method]!.requestBody!.required === true;
  expect(required('/api/svc-ms/sessions', 'post')).toBe(false);
  expect(required('/api/tokens', 'post')).toBe(true);
  expect(required('/api/user/self', 'put')).toBe(true);
  expect(required('/v1/chat/completions', 'post')).toBe(true);
});

test.each([
  ['get', '/api/usage/logs', 200, ['application/json', 'text/csv']],
  ['post', '/v1/chat/completions', 200, ['application/json', 'text/event-stream']],
  ['post', '/v1beta/models/{model}:streamGenerateContent', 200, ['application/json', 'text/event-stream']],
  ['post', '/v1/audio/translations', 200, ['application/json', 'text/plain', 'application/x-subrip', 'text/vtt']],
  ['get', '/v1/videos/{jobId}/content', 206, ['video/*']],
  ['get', '/v1/videos/{jobId}/content', 304, []],
  ['get', '/api/auth/{provider}/start', 302, []],
  ['get', '/v1/realtime', 101, []],
  ['get', '/scim/v2/Users', 200, ['application/scim+json']],
  ['get', '/scim/v2/Users', 'default', ['application/scim+json']],
  ['delete', '/scim/v2/Users/{id}', 204, []],
  ['get', '/api/oauth2/form_post', 400, ['application/json', 'text/html']],
])('%s %s names every media type of its answer %p', (method, path, status, types) => {
  expect(Object.keys(paths[path]![method]!.responses[status]!.content ?? {})).toEqual(types);
});

test('members that may be null may be null in the document, and patterns have no flags', () => {
  const { schemas } = components;
  expect(schemas.Upload!.properties.file).toEqual({ anyOf: [{ $ref: '#/components/schemas/File' }, { type: 'null' }] });
  const patterns = [...text.matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, one]) => JSON.parse(one!) as string);
  expect(patterns.length).toBeGreaterThan(10);
  expect(patterns.filter((one) => /\/[a-z]*$/.test(one))).toEqual([]);
  // JSON Schema: a pattern is to be read with the flag `u`.
  for (const one of patterns) expect(() => new RegExp(one, 'u')).not.toThrow();
  expect(schemas.ModelAlias!.properties.name).toMatchObject({ pattern: '^[^\\s\\p{Cc}]+$' });
});

test('what varies in an address is a parameter', () => {
  for (const [path, methods] of Object.entries(paths))
    for (const { parameters = [] } of Object.values(methods)) {
      const named = parameters.filter((one) => one.in === 'path').map(({ name }) => name);
      expect([path, named.toSorted()]).toEqual([
        path,
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!).toSorted(),
      ]);
    }
});

test('examples and defaults are valid', () => {
  const ajv = new Ajv({ strict: false });
  addFormats(ajv);
  const wrong: string[] = [];
  const look = (part: object, place: string): void => {
    const { example, default: otherwise, ...schema } = part as { example?: unknown; default?: unknown };
    for (const value of [example, otherwise])
      if (value !== undefined && 'type' in schema && !ajv.validate({ ...schema, components }, value)) wrong.push(place);
    for (const [name, member] of Object.entries(part))
      if (typeof member === 'object' && member !== null) look(member, `${place}/${name}`);
  };
  look(JSON.parse(text) as object, '');
  expect(wrong).toEqual([]);
});

import { expect, test } from 'bun:test';
import { openTestApp } from '../../app.fixture.ts';

type Document = {
  paths: Record<string, Record<string, { requestBody?: { required?: boolean; content: Record<string, unknown> } }>>;
};

test('each body is described with its media type', async () => {
  const service = await openTestApp();
  const { paths } = (await (await service.call('/openapi.json')).json()) as Document;
  const typesOf = (path: string) => Object.keys(paths[path]!.post!.requestBody!.content);
  expect(typesOf('/v1/audio/transcriptions')).toEqual(['multipart/form-data']);
  expect(typesOf('/v1/audio/translations')).toEqual(['multipart/form-data']);
  expect(typesOf('/v1/chat/completions')).toEqual(['application/json']);
  expect(typesOf('/api/oauth2/token')).toEqual(['application/x-www-form-urlencoded', 'application/json']);
  await service.close();
});

test('a body is required where a request without one is refused', async () => {
  const service = await openTestApp();
  const { paths } = (await (await service.call('/openapi.json')).json()) as Document;
  const required = (path: string, method: string) => paths[path]![method]!.requestBody!.required === true;
  expect(required('/api/svc-ms/sessions', 'post')).toBe(false);
  expect(required('/api/tokens', 'post')).toBe(true);
  expect(required('/api/user/self', 'put')).toBe(true);
  expect(required('/v1/chat/completions', 'post')).toBe(true);
  await service.close();
});

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openTestApp, type TestApp } from './app.fixture.ts';

let service: TestApp;
let key: string;
let other: string;
let endpoints: { method: string; path: string }[];

beforeAll(async () => {
  service = await openTestApp({ env: { DEMO_PROVIDER: 'on' } });
  await service.setOption('RateLimitEnabled', false);
  const member = await service.user();
  key = await member.key();
  other = await member.key();
  const { paths } = service.app.document() as { paths: Record<string, Record<string, unknown>> };
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path: path.replace(/\{[^}]+\}/g, 'x') })),
  );
  const needy = await Promise.all(
    all
      .filter(({ path }) => /^\/(v\d\w*|api\/svc-ms)\//.test(path))
      .map(async (endpoint) => ((await ask(endpoint, {})).status === 401 ? [endpoint] : [])),
  );
  endpoints = needy.flat();
});
afterAll(() => service.close());

const ask = ({ method, path }: { method: string; path: string }, headers: Record<string, string>) =>
  service.call(path, { method, headers, ...(method !== 'GET' && { body: {} }) });

const statuses = async (headers: Record<string, string>) =>
  Promise.all(endpoints.map(async (endpoint) => [endpoint.path, (await ask(endpoint, headers)).status === 401]));
const everywhere = (refused: boolean) => endpoints.map(({ path }) => [path, refused]);

describe('an API key works on every endpoint in every supported header', () => {
  test('there are endpoints that require one', () => expect(endpoints.length).toBeGreaterThan(12));

  test.each(['x-api-key', 'api-key', 'x-goog-api-key'])('%s', async (name) => {
    expect(await statuses({ [name]: key })).toEqual(everywhere(false));
    expect(await statuses({ [name]: 'sk-wrong' })).toEqual(everywhere(true));
    // Clients that are told to use both say the same twice.
    expect(await statuses({ authorization: `Bearer ${key}`, [name]: key })).toEqual(everywhere(false));
    expect(await statuses({ authorization: '', [name]: key })).toEqual(everywhere(false));
  });

  test.each([
    ['two keys', () => ({ authorization: `Bearer ${key}`, 'x-api-key': other })],
    ['two keys beside each other', () => ({ 'api-key': key, 'x-api-key': other })],
    ['a valid and an invalid key', () => ({ authorization: `Bearer ${key}`, 'api-key': 'none' })],
    ['another scheme and a key', () => ({ authorization: 'Basic eDp5', 'x-api-key': key })],
  ])('%s are rejected with the reason', async (_, headers) => {
    expect(await statuses(headers())).toEqual(everywhere(true));
    const answer = await ask({ method: 'GET', path: '/v1/models' }, headers());
    const { error } = (await answer.json()) as { error: { code: string; message: string } };
    expect(error.code).toBe('invalid_api_key');
    expect(error.message).toStartWith('Conflicting credentials');
    expect(error.message).not.toContain(key);
  });
});

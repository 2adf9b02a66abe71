import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type OAuthTest, openOAuthTest } from './oauth/oauth.fixture.ts';

const page = 'https://spa.example';
const stranger = 'https://stranger.example';
const chat = '/v1/chat/completions';
const tokens = '/api/oauth2/tokens';

let t: OAuthTest;
let key: string;

beforeAll(async () => {
  t = await openOAuthTest({ env: { DEMO_PROVIDER: 'on' } });
  key = await t.member.key();
  const redirect_uris = [`${page}/callback`, 'com.example.app:/callback'];
  await t.client({ redirect_uris });
});
afterAll(() => t.app.close());
beforeEach(async () => {
  await t.setOption('CorsEnabled', true);
  await t.setOption('CorsOrigins', '');
});

const allowed = (answer: Response) => answer.headers.get('access-control-allow-origin');
const preflight = (path: string, origin = page, method = 'POST', names = 'authorization,content-type,x-stainless-os') =>
  t.call(path, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': names },
  });
const ask = (path: string, origin: string, init: { body?: unknown; token?: string; method?: string } = {}) =>
  t.call(path, {
    method: init.method ?? (init.body === undefined ? 'GET' : 'POST'),
    headers: { origin, authorization: `Bearer ${init.token ?? key}` },
    ...(init.body !== undefined && { body: init.body }),
  });
const question = { model: 'demo/chat', messages: [{ role: 'user', content: 'hi' }] };

describe('with the option off', () => {
  beforeEach(() => t.setOption('CorsEnabled', false));

  test('pages of other origins get no CORS headers', async () => {
    const asked = await preflight(chat);
    expect([asked.status, asked.headers.get('allow'), allowed(asked)]).toEqual([405, 'POST', null]);
    expect(asked.headers.get('vary')).toBeNull();
    const answer = await ask(chat, page, { body: question });
    expect([answer.status, allowed(answer), answer.headers.get('vary')]).toEqual([200, null, null]);
    expect((await preflight(tokens)).status).toBe(405);
  });
});

describe('pages of registered applications', () => {
  test.each([
    [chat, 'POST'],
    ['/v1/completions', 'POST'],
    ['/v1/models', 'GET'],
    ['/v1/videos/some', 'DELETE'],
    ['/v2/embed', 'POST'],
    ['/v2/rerank', 'POST'],
    ['/v1beta/models', 'GET'],
    ['/v1beta/models/demo/chat:generateContent', 'POST'],
    ['/openai/deployments/demo/chat/chat/completions', 'POST'],
    [tokens, 'POST'],
    [`${tokens}/7`, 'DELETE'],
  ])('may call %s', async (path, method) => {
    const answer = await preflight(path, page, method);
    expect([answer.status, allowed(answer)]).toEqual([204, page]);
    expect(answer.headers.get('access-control-allow-methods')).toContain(method);
    expect(answer.headers.get('access-control-allow-headers')).toBe('authorization,content-type,x-stainless-os');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    expect(answer.headers.get('vary')).toContain('origin');
    expect((await preflight(path, stranger, method)).status).toBe(405);
  });

  test('can read responses in Google’s format, under each of its addresses', async () => {
    const body = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };
    for (const version of ['v1beta', 'v1']) {
      const answer = await ask(`/${version}/models/demo/chat:generateContent`, page, { body });
      expect([version, answer.status, allowed(answer)]).toEqual([version, 200, page]);
    }
  });

  test('can read responses: whole, streamed and errors', async () => {
    for (const body of [question, { ...question, stream: true }]) {
      const answer = await ask(chat, page, { body });
      expect([answer.status, allowed(answer), answer.headers.get('vary')]).toEqual([200, page, 'origin']);
      expect(answer.headers.get('access-control-expose-headers')).toContain('x-request-id');
      expect(await answer.text()).not.toBe('');
    }
    const faults = [
      await ask(chat, page, { body: {} }),
      await ask(chat, page, { body: question, token: 'sk-wrong' }),
      await ask('/v1/nothing', page),
      await ask(tokens, page, { token: 'wrong' }),
    ];
    expect(faults.map((answer) => [answer.status, allowed(answer)])).toEqual(
      [400, 401, 404, 401].map((n) => [n, page]),
    );
  });

  test('of other origins can read nothing', async () => {
    for (const origin of [stranger, 'null', 'com.example.app:', `${page}:8443`, `${page}.stranger.example`, '*'])
      expect(allowed(await ask('/v1/models', origin))).toBeNull();
  });

  test('follow the state of their applications', async () => {
    const late = 'https://late.example';
    expect(allowed(await ask('/v1/models', late))).toBeNull();
    const { id } = await t.client({ redirect_uris: [`${late}/cb`] });
    expect(allowed(await ask('/v1/models', late))).toBe(late);
    const root = await t.root();
    const act = (name: string) =>
      root.call(`/api/oauth2/admin/applications/${name}`, { method: 'POST', body: { app_id: id } });
    expect((await act('suspend')).status).toBe(200);
    expect(allowed(await ask('/v1/models', late))).toBeNull();
    expect((await act('activate')).status).toBe(200);
    expect(allowed(await ask('/v1/models', late))).toBe(late);
    await t.owner.call(`/api/oauth2/applications/${id}`, { method: 'DELETE', body: {} });
    expect(allowed(await ask('/v1/models', late))).toBeNull();
  });
});

describe('origins listed by the operator', () => {
  test("are allowed wherever applications' origins are", async () => {
    await t.setOption('CorsOrigins', 'http://localhost:3000, https://other.example');
    for (const path of ['/v1/models', tokens])
      expect(allowed(await ask(path, 'http://localhost:3000'))).toBe('http://localhost:3000');
    expect(allowed(await ask('/v1/models', stranger))).toBeNull();
  });

  test('* applies only to the relay', async () => {
    await t.setOption('CorsOrigins', '*');
    expect(allowed(await ask('/v1/models', stranger))).toBe('*');
    expect((await preflight(chat, stranger)).status).toBe(204);
    expect(allowed(await ask(tokens, stranger))).toBeNull();
    expect((await preflight(tokens, stranger)).status).toBe(405);
  });

  test.each([
    'example.com',
    'https://a.example/',
    'https://a.example/path',
    'null',
    'ftp://a.example',
    'https://*.a.example',
  ])('%s is not an origin', async (entry) => {
    expect(await t.setOption('CorsOrigins', entry).catch((error) => error.code)).toBe('invalid_value');
  });
});

test('endpoints with cookies are never open to other origins', async () => {
  await t.setOption('CorsOrigins', `* ${page}`);
  for (const path of ['/api/user/self', '/api/oauth2/applications', '/api/admin/options', '/v1/videos/x/content']) {
    const answer = await t.member.call(path, { headers: { origin: page } });
    expect([path, allowed(answer)]).toEqual([path, null]);
    expect(allowed(await preflight(path, page, 'GET'))).toBeNull();
  }
});

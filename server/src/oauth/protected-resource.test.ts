import { afterAll, beforeAll, expect, test } from 'bun:test';
import { jsonOf, openOAuthTest } from './oauth.fixture.ts';
import { type OpenidTest, openOpenidTest } from './openid/openid.fixture.ts';

let t: OpenidTest;
beforeAll(async () => {
  t = await openOpenidTest({ env: { DEMO_PROVIDER: 'on' } });
});
afterAll(() => t.close());

const place = '/.well-known/oauth-protected-resource';

test.each(['', '/v1', '/mcp', '/mcp/notes', '/mcp/svc'])(
  'the resource at %p names its authorization server',
  async (path) => {
    const answer = await t.call(`${place}${path}`);
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    const told = await jsonOf(answer);
    expect(told).toMatchObject({
      resource: `${t.config.baseUrl}${path}`,
      authorization_servers: [t.config.baseUrl],
      bearer_methods_supported: ['header'],
    });
    expect(told.scopes_supported).toContain('openid');
    // Whoever asks as it says gets a token for it.
    const client = await t.client({ scopes: told.scopes_supported.join(' ') });
    const asked = { scope: told.scopes_supported.join(' '), resource: told.resource };
    const tokens = await t.tokens(
      client,
      asked.scope.includes('models:use') ? { ...asked, spending_limit: 500 } : asked,
    );
    expect(await t.introspect(client, tokens.access_token)).toMatchObject({ active: true, aud: told.resource });
  },
);

test.each([
  '/',
  '/v2',
  '/v1/',
  '/v1/chat/completions',
  '/mcp/a/b',
  '/mcp/%2e%2e',
  '/api/oauth2',
  `/${'x'.repeat(300)}`,
])('there is no resource at %p', async (path) => {
  const answer = await t.call(`${place}${path}`);
  expect([answer.status, await jsonOf(answer)]).toMatchObject([404, { error_description: expect.any(String) }]);
});

test('a 401 of the models API points to the metadata, in any format and spelling of the address', async () => {
  const metadata = `resource_metadata="${t.config.baseUrl}${place}/v1"`;
  for (const path of ['/v1/models', '/openai/v1/models'])
    expect((await t.call(path)).headers.get('www-authenticate')).toBe(`Bearer ${metadata}`);
  for (const path of ['/v1/messages', '/v1/chat/completions', '/v1/videos']) {
    const answer = await t.call(path, { method: 'POST', body: {}, headers: { authorization: 'Bearer sk-wrong' } });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, `Bearer ${metadata}`]);
  }
  expect((await t.call('/v1beta/models')).headers.get('www-authenticate')).toBeNull();
  expect((await t.call('/api/user/self')).headers.get('www-authenticate')).toBeNull();
});

test('pages of any origin may read it, with the version header of MCP clients', async () => {
  for (const path of [place, `${place}/mcp/notes`]) {
    const asked = await t.call(path, { method: 'OPTIONS', headers: { origin: 'https://page.example' } });
    expect([asked.status, asked.headers.get('access-control-allow-methods')]).toEqual([204, 'GET']);
    expect(asked.headers.get('access-control-allow-headers')).toContain('mcp-protocol-version');
  }
});

test('without OpenID Connect there is no metadata', async () => {
  const off = await openOAuthTest();
  for (const path of [place, `${place}/v1`]) expect((await off.call(path)).status).toBe(404);
  expect((await off.call('/v1/models')).headers.get('www-authenticate')).toBeNull();
  const asked = await off.call('/api/oauth2/token', { method: 'OPTIONS' });
  expect(asked.headers.get('access-control-allow-headers')).toBe('authorization, content-type');
  await off.close();
});

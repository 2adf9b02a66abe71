import { afterAll, beforeAll, expect, test } from 'bun:test';
import { faultOf, jsonOf, openOAuthTest, type TestClient } from '../oauth.fixture.ts';
import { type OpenidTest, openOpenidTest } from './openid.fixture.ts';

let t: OpenidTest;
let client: TestClient;
beforeAll(async () => {
  t = await openOpenidTest();
  client = await t.client();
});
afterAll(() => t.close());

const addresses = [
  '/api/oauth2/.well-known/openid-configuration',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
];

test('userinfo returns standard claims beside our own, with GET and POST', async () => {
  const { access_token, claims } = await t.signIn(client, { scope: 'openid email' });
  await t.member.call('/api/user/self', { method: 'PUT', body: { display_name: 'Ada', email: '' } });
  const told = await jsonOf(t.userinfo(access_token));
  const names = { username: t.member.username, preferred_username: t.member.username };
  expect(told).toEqual({ sub: claims.sub, ...names, display_name: 'Ada', name: 'Ada', avatar_url: '', role: 1 });
  await t.member.call('/api/user/self', { method: 'PUT', body: { email: 'ada@example.com' } });
  const posted = await t.withBearer('/api/oauth2/userinfo', access_token, { method: 'POST' });
  expect(posted.status).toBe(200);
  expect(await posted.json()).toEqual({ ...told, email: 'ada@example.com', email_verified: false });
  expect((await t.call('/api/oauth2/userinfo', { method: 'POST' })).status).toBe(401);
});

const formType = 'application/x-www-form-urlencoded';

test('userinfo takes one token, in the header or in a posted form (RFC 6750 §2.2)', async () => {
  const { access_token, refresh_token } = await t.signIn(client, { scope: 'openid' });
  const inHeader = { authorization: `Bearer ${access_token}` };
  const send = (body: string, headers: Record<string, string> = {}, method = 'POST') =>
    t.call('/api/oauth2/userinfo', {
      method,
      body,
      headers: { 'content-type': `${formType}; charset=UTF-8`, ...headers },
    });
  const posted = await send(`access_token=${access_token}`);
  expect([posted.status, await posted.json()]).toEqual([200, await jsonOf(t.userinfo(access_token))]);
  expect((await send('', inHeader)).status).toBe(200);
  const invalid: [number, unknown] = [400, 'invalid_request'];
  expect(await faultOf(send(`access_token=${access_token}`, inHeader))).toEqual(invalid);
  expect(await faultOf(send(`access_token=${access_token}&access_token=x`))).toEqual(invalid);
  expect(await faultOf(send('access_token=%00'))).toEqual(invalid);
  const challenged = async (answer: Response) => [answer.status, answer.headers.get('www-authenticate')];
  for (const bad of [refresh_token, 'x', 'a%0d%0ab', `Bearer+${access_token}`])
    expect([bad, ...(await challenged(await send(`access_token=${bad}`)))]).toEqual([
      ...[bad, 401],
      expect.stringContaining('error="invalid_token"'),
    ]);
  const none = [401, 'Bearer realm="svc"'];
  expect(await challenged(await send('access_token='))).toEqual(none);
  expect(await challenged(await send('token=x'))).toEqual(none);
  expect(await challenged(await send(`access_token=${access_token}`, { 'content-type': 'text/plain' }))).toEqual(none);
  // Only there, where nothing can be changed.
  expect(await challenged(await send(`access_token=${access_token}`, {}, 'PATCH'))).toEqual(none);
  const elsewhere = await t.post('/api/oauth2/tokens', { access_token, name: 'a key' });
  expect(await challenged(elsewhere)).toEqual(none);
});

const signatures = 'ES256 ES384 ES512 RS256 RS384 RS512 PS256 PS384 PS512 EdDSA Ed25519'.split(' ');

test('all discovery addresses describe the same server and only existing features', async () => {
  const documents = await Promise.all(addresses.map((address) => jsonOf(t.call(address))));
  const [document] = documents as [Record<string, unknown>];
  for (const other of documents) expect(other).toEqual(document);
  const { paths } = t.app.app.document() as { paths: Record<string, unknown> };
  for (const [name, value] of Object.entries(document))
    if (/_(endpoint|uri)$/.test(name) && name !== 'authorization_endpoint')
      expect(Object.keys(paths)).toContain(new URL(value as string).pathname);
  expect(document).toMatchObject({
    jwks_uri: `${t.config.baseUrl}/api/oauth2/jwks`,
    id_token_signing_alg_values_supported: ['RS256', 'ES256'],
    authorization_response_iss_parameter_supported: true,
    pushed_authorization_request_endpoint: `${t.config.baseUrl}/api/oauth2/par`,
    device_authorization_endpoint: `${t.config.baseUrl}/api/oauth2/device_authorization`,
    dpop_signing_alg_values_supported: signatures,
    ...{ token_endpoint_auth_signing_alg_values_supported: signatures },
    ...{ revocation_endpoint_auth_signing_alg_values_supported: signatures },
    ...{ introspection_endpoint_auth_signing_alg_values_supported: signatures },
    grant_types_supported: [
      ...['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      'urn:ietf:params:oauth:grant-type:token-exchange',
    ],
  });
});

test('every claim of ID tokens and userinfo is listed as supported', async () => {
  const all = { scope: 'openid profile email usage:read', nonce: 'n' };
  const body = { display_name: 'Ada', email: 'ada@example.com', avatar_url: 'https://pictures.example/ada.png' };
  await t.member.call('/api/user/self', { method: 'PUT', body });
  const { access_token, claims } = await t.signIn(client, all);
  const seen = new Set([...Object.keys(claims), ...Object.keys(await jsonOf(t.userinfo(access_token)))]);
  const { claims_supported } = await jsonOf(t.call(addresses[0]!));
  expect([...seen].sort()).toEqual(claims_supported.toSorted());
});

test('without OpenID Connect userinfo and discovery are unchanged', async () => {
  const off = await openOAuthTest();
  const { access_token } = await off.tokens(await off.client(), { scope: 'openid email' });
  expect(Object.keys(await jsonOf(off.userinfo(access_token)))).toEqual([
    // Of somebody without an address.
    ...['sub', 'username', 'display_name', 'avatar_url', 'role', 'email_verified'],
  ]);
  const posted = await off.withBearer('/api/oauth2/userinfo', access_token, { method: 'POST' });
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, PATCH']);
  const preflight = await off.call('/api/oauth2/userinfo', { method: 'OPTIONS' });
  expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, PATCH');
  for (const address of addresses) {
    const document = await jsonOf(off.call(address));
    for (const name of [
      'jwks_uri',
      'end_session_endpoint',
      'claims_supported',
      'id_token_signing_alg_values_supported',
      'pushed_authorization_request_endpoint',
      'device_authorization_endpoint',
      'dpop_signing_alg_values_supported',
    ])
      expect(document).not.toHaveProperty(name);
  }
  await off.close();
});

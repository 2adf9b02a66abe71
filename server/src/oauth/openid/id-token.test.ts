import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { decodeProtectedHeader } from 'jose';
import { jsonOf, openOAuthTest, type TestClient } from '../oauth.fixture.ts';
import { type OpenidTest, openOpenidTest } from './openid.fixture.ts';

let t: OpenidTest;
let client: TestClient;
beforeAll(async () => {
  t = await openOpenidTest();
  client = await t.client();
});
afterAll(() => t.close());

const change = (fields: Record<string, unknown>) =>
  t.member.call('/api/user/self', { method: 'PUT', body: fields }).then((answer) => expect(answer.status).toBe(200));

test('a code gives an ID token with user, login time, audience and access token hash', async () => {
  const { claims, access_token, id_token } = await t.signIn(client, { nonce: 'n-0S6_WzA2Mj' });
  const now = Math.floor(t.clock.nowMs() / 1000);
  expect(claims).toEqual({
    iss: t.config.baseUrl,
    sub: `${t.member.id}`,
    aud: client.clientId,
    exp: now + 3600,
    iat: now,
    auth_time: now,
    nonce: 'n-0S6_WzA2Mj',
    at_hash: createHash('sha256').update(access_token).digest().subarray(0, 16).toString('base64url'),
    acr: 'urn:svc:session',
    sid: expect.stringMatching(/^\w{32}$/),
  });
  expect(decodeProtectedHeader(id_token)).toMatchObject({ alg: 'RS256', typ: 'JWT' });
});

test('auth_time is the time of the login, however late the code is requested', async () => {
  const since = Math.floor(t.clock.nowMs() / 1000);
  const person = await t.user();
  t.clock.advance(600_000);
  const { claims } = await t.signIn(client, {}, person);
  expect(claims.auth_time).toBe(since);
  expect(claims.iat).toBe(since + 600);
});

test('standard claims follow the scopes, and empty ones are omitted', async () => {
  await change({ display_name: 'Ada Lovelace', avatar_url: '', email: '' });
  const all = { scope: 'openid profile email' };
  const bare = (await t.signIn(client, all)).claims;
  expect(bare).toMatchObject({ name: 'Ada Lovelace', preferred_username: t.member.username });
  for (const name of ['picture', 'email', 'email_verified']) expect(bare).not.toHaveProperty(name);
  await change({ avatar_url: 'https://pictures.example/ada.png', email: 'ada@example.com' });
  expect((await t.signIn(client, all)).claims).toMatchObject({
    picture: 'https://pictures.example/ada.png',
    email: 'ada@example.com',
    email_verified: false,
  });
  const least = (await t.signIn(client)).claims;
  for (const name of ['name', 'preferred_username', 'picture', 'email']) expect(least).not.toHaveProperty(name);
});

test('a refresh gives an ID token of the same login, without the nonce', async () => {
  const first = await t.signIn(client, { nonce: 'once', scope: 'openid profile' });
  t.clock.advance(60_000);
  const next = await jsonOf(t.refresh(client, first.refresh_token));
  const { iat, exp, at_hash, nonce, ...same } = first.claims;
  const claims = await t.verified(next.id_token, client.clientId);
  expect(claims).toMatchObject({ ...same, iat: iat! + 60, exp: exp! + 60 });
  expect(claims.at_hash).not.toBe(at_hash);
  expect(claims).not.toHaveProperty('nonce');
  expect(nonce).toBe('once');
});

test('the session id is stable for an application and differs between applications', async () => {
  const other = await t.client();
  const sids = [await t.signIn(client), await t.signIn(client), await t.signIn(other)].map(({ claims }) => claims.sid);
  expect(sids[0]).toBe(sids[1]);
  expect(sids[0]).not.toBe(sids[2]);
});

test('no ID token is issued if openid was only added, not requested', async () => {
  for (const scope of ['profile', undefined]) {
    const tokens = await t.tokens(client, { scope });
    expect(tokens.scope).toContain('openid');
    expect(tokens).not.toHaveProperty('id_token');
    expect(await jsonOf(t.refresh(client, tokens.refresh_token))).not.toHaveProperty('id_token');
  }
});

test('without OpenID Connect no ID token is issued, even for requests begun before', async () => {
  const before = await t.signIn(client, { nonce: 'x' });
  await t.setOption('OAuth2OpenIDConnect', false);
  const answer = await jsonOf(t.refresh(client, before.refresh_token));
  expect(Object.keys(answer)).toEqual(['access_token', 'token_type', 'expires_in', 'refresh_token', 'scope']);
  await t.setOption('OAuth2OpenIDConnect', true);
  const off = await openOAuthTest();
  const tokens = await off.tokens(await off.client(), { scope: 'openid', nonce: 'x'.repeat(5000), prompt: 'rubbish' });
  expect(Object.keys(tokens)).toEqual(['access_token', 'token_type', 'expires_in', 'refresh_token', 'scope']);
  await off.close();
});

test('offline_access is accepted at every endpoint and changes nothing', async () => {
  const client = await t.client();
  const scope = 'openid profile offline_access';
  const tokens = await t.signIn(client, { scope });
  expect(tokens.scope).toBe('openid profile');
  const next = await jsonOf(t.refresh(client, tokens.refresh_token, { scope }));
  expect([next.scope, typeof next.id_token]).toEqual(['openid profile', 'string']);
  const device = { client_id: client.clientId, client_secret: client.secret, scope };
  expect((await t.post('/api/oauth2/device_authorization', device)).status).toBe(200);
  await t.setOption('OAuth2OpenIDConnect', false);
  expect((await t.decide(client, { scope })).status).toBe(400);
  await t.setOption('OAuth2OpenIDConnect', true);
});

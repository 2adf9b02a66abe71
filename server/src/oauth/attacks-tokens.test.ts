import { afterAll, beforeAll, expect, test } from 'bun:test';
import { basic, faultOf, jsonOf, type OAuthTest, openOAuthTest, type TestClient } from './oauth.fixture.ts';

let t: OAuthTest;
beforeAll(async () => {
  t = await openOAuthTest();
});
afterAll(() => t.close());

const invalidGrant: [number, unknown] = [400, 'invalid_grant'];
const invalidClient: [number, unknown] = [401, 'invalid_client'];
const invalidToken: [number, unknown] = [401, 'invalid_token'];

test('of 50 concurrent refreshes with one token, one succeeds', async () => {
  const client = await t.client();
  const { refresh_token } = await t.tokens(client);
  const answers = await Promise.all(Array.from({ length: 50 }, () => t.refresh(client, refresh_token)));
  const winners = answers.filter((answer) => answer.status === 200);
  expect(winners).toHaveLength(1);
  for (const answer of answers) if (answer.status !== 200) expect(await faultOf(answer)).toEqual(invalidGrant);
  expect((await t.userinfo((await jsonOf(winners[0]!)).access_token)).status).toBe(200);
});

test('a refresh invalidates the previous tokens', async () => {
  const client = await t.client();
  const old = await t.tokens(client);
  expect((await t.refresh(client, old.refresh_token)).status).toBe(200);
  expect(await faultOf(t.refresh(client, old.refresh_token))).toEqual(invalidGrant);
  expect(await faultOf(t.userinfo(old.access_token))).toEqual(invalidToken);
  expect(await t.introspect(client, old.access_token)).toEqual({ active: false });
});

test('client B cannot use A’s refresh token, and A still can', async () => {
  const a = await t.client();
  const b = await t.client();
  const tokens = await t.tokens(a);
  expect(await faultOf(t.refresh(b, tokens.refresh_token))).toEqual(invalidGrant);
  expect((await t.refresh(a, tokens.refresh_token)).status).toBe(200);
});

test('one kind of credential is not accepted in place of another', async () => {
  const client = await t.client();
  const tokens = await t.tokens(client);
  const refused = await t.userinfo(tokens.refresh_token);
  expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"');
  expect(await faultOf(refused)).toEqual(invalidToken);
  expect(await faultOf(t.refresh(client, tokens.access_token))).toEqual(invalidGrant);
  expect(await faultOf(t.userinfo(await t.member.key()))).toEqual(invalidToken);
  const atRelay = t.call('/v1/models', { headers: { authorization: `Bearer ${tokens.access_token}` } });
  expect((await atRelay).status).toBe(401);
  expect((await t.call('/api/oauth2/userinfo', { headers: { cookie: t.member.cookie } })).status).toBe(401);
});

test('a token in the query string is not accepted', async () => {
  const client = await t.client();
  const { access_token } = await t.tokens(client);
  const inQuery = await t.call(`/api/oauth2/userinfo?access_token=${access_token}`);
  expect(inQuery.headers.get('www-authenticate')).toBe('Bearer realm="svc"');
  expect(await faultOf(inQuery)).toEqual(invalidToken);
  expect((await t.call(`/api/oauth2/tokens?access_token=${access_token}`)).status).toBe(401);
});

const everyUse = async (client: TestClient, tokens: { access_token: string; refresh_token: string }) => [
  (await t.userinfo(tokens.access_token)).status,
  (await t.withBearer('/api/oauth2/tokens', tokens.access_token)).status,
  (await t.refresh(client, tokens.refresh_token)).status,
];

test('tokens are rejected everywhere after the consent was deleted', async () => {
  const client = await t.client();
  const tokens = await t.tokens(client);
  const pending = await t.code(client);
  await t.member.call(`/api/oauth2/consents/${client.id}`, { method: 'DELETE' });
  expect(await everyUse(client, tokens)).toEqual([401, 401, 400]);
  expect(await t.introspect(client, tokens.access_token)).toEqual({ active: false });
  expect(await faultOf(t.exchange(client, { code: pending }))).toEqual(invalidGrant);
});

test('tokens are rejected everywhere after the application was deleted', async () => {
  const client = await t.client();
  const tokens = await t.tokens(client);
  await t.owner.call(`/api/oauth2/applications/${client.id}`, { method: 'DELETE' });
  expect(await everyUse(client, tokens)).toEqual([401, 401, 401]);
});

test('tokens are rejected everywhere while the application is suspended, and afterwards', async () => {
  const client = await t.client();
  const tokens = await t.tokens(client);
  await t.act('suspend', client.id);
  expect(await everyUse(client, tokens)).toEqual([403, 403, 403]);
  expect(await t.introspect(client, tokens.access_token)).toEqual({ active: false });
  await t.act('activate', client.id);
  expect(await everyUse(client, tokens)).toEqual([401, 401, 400]);
});

test('the old secret is rejected after rotation, and a confidential client needs a secret', async () => {
  const client = await t.client();
  const tokens = await t.tokens(client);
  const path = `/api/oauth2/applications/${client.id}/rotate-secret`;
  const { client_secret_plain: secret } = (await jsonOf(t.owner.call(path, { method: 'POST' }))).data;
  expect(secret).toMatch(/^svcsec_[0-9A-Za-z]{48}$/);
  expect(await faultOf(t.refresh(client, tokens.refresh_token))).toEqual(invalidClient);
  expect(await faultOf(t.refresh({ ...client, secret: '' }, tokens.refresh_token))).toEqual(invalidClient);
  expect((await t.refresh({ ...client, secret }, tokens.refresh_token)).status).toBe(200);
});

test('unsupported grant types are rejected', async () => {
  const client = await t.client();
  for (const grant_type of [
    'password',
    'client_credentials',
    'implicit',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
  ])
    expect(await faultOf(t.exchange(client, { grant_type }))).toEqual([400, 'unsupported_grant_type']);
  for (const grant_type of ['', undefined])
    expect(await faultOf(t.exchange(client, { grant_type }))).toEqual([400, 'invalid_request']);
});

test('introspection accepts Basic credentials, and no others instead or in addition', async () => {
  const [a, b] = [await t.client(), await t.client()];
  const { access_token: token } = await t.tokens(a);
  const ask = (fields: Record<string, string>, headers: Record<string, string> = { authorization: basic(a) }) =>
    t.post('/api/oauth2/introspect', { token, ...fields }, headers);
  expect(await jsonOf(ask({ client_id: a.clientId }))).toMatchObject({ active: true });
  const invalid: [number, string] = [400, 'invalid_request'];
  expect(await faultOf(ask({ client_id: a.clientId, client_secret: a.secret }))).toEqual(invalid);
  expect(await faultOf(ask({ client_id: b.clientId }))).toEqual(invalid);
  const inBody = { client_id: a.clientId, client_secret: a.secret };
  // Without OpenID Connect an assertion is an unknown parameter, which opens nothing.
  for (const more of [{}, { client_assertion: 'x' }] as Record<string, string>[])
    expect(await faultOf(ask({ ...inBody, ...more }, {}))).toEqual(invalidClient);
});

test('introspecting another client’s token returns inactive', async () => {
  const a = await t.client();
  const b = await t.client();
  const { access_token: token, refresh_token } = await t.tokens(b);
  expect(await t.introspect(a, token)).toEqual({ active: false });
  expect(await t.introspect(a, refresh_token)).toEqual({ active: false });
  const authorization = basic({ ...b, secret: a.secret });
  expect(await faultOf(t.post('/api/oauth2/introspect', { token }, { authorization }))).toEqual(invalidClient);
});

test('a refresh or exchange in progress while access is revoked leaves no valid tokens', async () => {
  const client = await t.client();
  const takeAway: ((tokens: { refresh_token: string }) => Promise<Response>)[] = [
    ({ refresh_token: token }) => t.post('/api/oauth2/revoke', { token }),
    () => t.member.call(`/api/oauth2/consents/${client.id}`, { method: 'DELETE' }),
  ];
  for (let round = 0; round < 20; round += 1) {
    const tokens = await t.tokens(client);
    const code = await t.code(client);
    const take = takeAway[round % 2]!;
    const [refreshed, exchanged] = await Promise.all([
      t.refresh(client, tokens.refresh_token),
      round % 2 === 1 ? t.exchange(client, { code }) : null,
      take(tokens),
    ]);
    for (const answer of [refreshed, exchanged])
      if (answer?.status === 200) expect((await t.userinfo((await jsonOf(answer)).access_token)).status).toBe(401);
    expect((await t.userinfo(tokens.access_token)).status).toBe(401);
  }
});

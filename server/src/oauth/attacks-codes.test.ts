import { afterAll, beforeAll, expect, test } from 'bun:test';
import { callback, faultOf, jsonOf, newVerifier, type OAuthTest, openOAuthTest } from './oauth.fixture.ts';
import { s256 } from './pkce.ts';

let t: OAuthTest;
beforeAll(async () => {
  t = await openOAuthTest();
});
afterAll(() => t.close());

const invalidGrant: [number, unknown] = [400, 'invalid_grant'];
const invalidRequest: [number, unknown] = [400, 'invalid_request'];
const change = (id: number, body: Record<string, unknown>) =>
  t.owner.call(`/api/oauth2/applications/${id}`, { method: 'PUT', body });

test('of 50 concurrent exchanges of one code, one succeeds', async () => {
  const client = await t.client();
  const code = await t.code(client);
  const answers = await Promise.all(Array.from({ length: 50 }, () => t.exchange(client, { code })));
  const faults = await Promise.all(answers.map(faultOf));
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
  expect(faults.filter(([status, error]) => status === 400 && error === 'invalid_grant')).toHaveLength(49);
});

test('replaying a code revokes the tokens issued for it, including refreshed ones', async () => {
  const client = await t.client();
  const code = await t.code(client);
  const tokens = await jsonOf(t.exchange(client, { code }));
  const next = await jsonOf(t.refresh(client, tokens.refresh_token));
  t.clock.advance(1_800_000);
  expect(await faultOf(t.exchange(client, { code }))).toEqual(invalidGrant);
  expect(await faultOf(t.userinfo(next.access_token))).toEqual([401, 'invalid_token']);
  expect(await faultOf(t.refresh(client, next.refresh_token))).toEqual(invalidGrant);
});

test('a replay by another client revokes nothing', async () => {
  const client = await t.client();
  const other = await t.client();
  const code = await t.code(client);
  const tokens = await jsonOf(t.exchange(client, { code }));
  expect(await faultOf(t.exchange(other, { code }))).toEqual(invalidGrant);
  expect((await t.userinfo(tokens.access_token)).status).toBe(200);
});

test('client B cannot redeem client A’s code, and A still can', async () => {
  const a = await t.client();
  const b = await t.client();
  const code = await t.code(a);
  expect(await faultOf(t.exchange(b, { code }))).toEqual(invalidGrant);
  expect((await t.exchange(a, { code })).status).toBe(200);
});

test('another redirect_uri and an expired code are rejected', async () => {
  const client = await t.client({ redirect_uris: [callback, 'https://client.example/other'] });
  const code = await t.code(client);
  const elsewhere = t.exchange(client, { code, redirect_uri: 'https://client.example/other' });
  expect(await faultOf(elsewhere)).toEqual(invalidGrant);
  t.clock.advance(600_000);
  expect(await faultOf(t.exchange(client, { code }))).toEqual(invalidGrant);
});

test('codes for a removed redirect URI are rejected', async () => {
  const client = await t.client();
  const code = await t.code(client);
  await change(client.id, { redirect_uris: ['https://client.example/new'] });
  expect(await faultOf(t.exchange(client, { code }))).toEqual(invalidGrant);
});

test('PKCE is required for public clients, and the verifier must match', async () => {
  const open = await t.client({ app_type: 'public' });
  const refused = await t.decide(open);
  expect(refused.status).toBe(400);
  expect(await jsonOf(refused)).toMatchObject({
    error: 'invalid_request',
    redirect_url: expect.stringContaining('error=invalid_request'),
  });
  const closed = await t.client();
  const bare = await t.code(closed);
  expect(await faultOf(t.exchange(closed, { code: bare, code_verifier: newVerifier() }))).toEqual(invalidGrant);
  const verifier = newVerifier();
  const code = await t.code(closed, { code_challenge: s256(verifier), code_challenge_method: 'S256' });
  expect(await faultOf(t.exchange(closed, { code }))).toEqual(invalidGrant);
  for (const wrong of ['v'.repeat(42), 'v'.repeat(129), `${'v'.repeat(43)}!`])
    expect(await faultOf(t.exchange(closed, { code, code_verifier: wrong }))).toEqual(invalidRequest);
  expect((await t.exchange(closed, { code, code_verifier: verifier })).status).toBe(200);
});

test('a client that became public cannot redeem a code without PKCE', async () => {
  const client = await t.client();
  const code = await t.code(client);
  await change(client.id, { app_type: 'public' });
  expect(await faultOf(t.exchange({ ...client, secret: '' }, { code }))).toEqual(invalidGrant);
  expect(await faultOf(t.exchange(client, { code }))).toEqual([401, 'invalid_client']);
});

test('a code is rejected after the application was suspended', async () => {
  const client = await t.client();
  const code = await t.code(client);
  await t.act('suspend', client.id);
  expect(await faultOf(t.exchange(client, { code }))).toEqual([403, 'access_denied']);
  const query = new URLSearchParams({ response_type: 'code', client_id: client.clientId, redirect_uri: callback });
  expect(await faultOf(t.member.call(`/api/oauth2/authorize?${query}`))).toEqual([403, 'access_denied']);
  expect(await faultOf(t.decide(client))).toEqual([403, 'access_denied']);
  await t.act('activate', client.id);
  expect(await faultOf(t.exchange(client, { code }))).toEqual(invalidGrant);
});

test('a code and tokens are rejected after the user was disabled', async () => {
  const client = await t.client();
  const victim = await t.user();
  const code = await t.code(client, {}, victim);
  const tokens = await t.tokens(client, {}, victim);
  await (await t.root()).call(`/api/admin/users/${victim.id}`, { method: 'PUT', body: { status: 2 } });
  expect(await faultOf(t.exchange(client, { code }))).toEqual(invalidGrant);
  expect(await faultOf(t.refresh(client, tokens.refresh_token))).toEqual(invalidGrant);
  expect(await faultOf(t.userinfo(tokens.access_token))).toEqual([401, 'invalid_token']);
  expect(await t.introspect(client, tokens.access_token)).toEqual({ active: false });
});

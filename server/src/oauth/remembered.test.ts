import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Member } from '../app.fixture.ts';
import { jsonOf, type OAuthTest, openOAuthTest, type TestClient, type Tokens } from './oauth.fixture.ts';

let t: OAuthTest;
beforeAll(async () => {
  t = await openOAuthTest();
});
afterAll(() => t.close());

/** An exchange and two refreshes, after which client and user are known without being read. */
async function wellKnown(): Promise<{ client: TestClient; refreshToken: string }> {
  const client = await t.client();
  const first = (await jsonOf(await t.exchange(client, { code: await t.code(client) }))) as unknown as Tokens;
  return { client, refreshToken: await refreshed(client, await refreshed(client, first.refresh_token)) };
}

async function refreshed(client: TestClient, refreshToken: string): Promise<string> {
  const response = await t.refresh(client, refreshToken);
  expect(response.status).toBe(200);
  return ((await jsonOf(response)) as unknown as Tokens).refresh_token;
}

const errorOf = async (response: Response): Promise<unknown> => (await jsonOf(response)).error;

test('a new secret works at the next refresh, and the old one is rejected', async () => {
  const { client, refreshToken } = await wellKnown();
  const answer = await t.owner.call(`/api/oauth2/applications/${client.id}/rotate-secret`, { method: 'POST' });
  const { data } = (await answer.json()) as { data: { client_secret_plain: string } };
  expect(await errorOf(await t.refresh(client, refreshToken))).toBe('invalid_client');
  await refreshed({ ...client, secret: data.client_secret_plain }, refreshToken);
});

test('a suspension applies to the next refresh', async () => {
  const { client, refreshToken } = await wellKnown();
  const root = await t.root();
  await root.call('/api/oauth2/admin/applications/suspend', { method: 'POST', body: { app_id: client.id } });
  expect((await t.refresh(client, refreshToken)).status).not.toBe(200);
});

test('a deleted application is unknown at the next exchange', async () => {
  const { client } = await wellKnown();
  const code = await t.code(client);
  await t.owner.call(`/api/oauth2/applications/${client.id}`, { method: 'DELETE' });
  expect(await errorOf(await t.exchange(client, { code }))).toBe('invalid_client');
});

test('a disabled user is rejected at the next refresh, and accepted again once enabled', async () => {
  const { client, refreshToken } = await wellKnown();
  const root = await t.root();
  const setStatus = (status: number) =>
    root.call(`/api/admin/users/${t.member.id}`, { method: 'PUT', body: { status } });
  expect((await setStatus(2)).status).toBe(200);
  expect(await errorOf(await t.refresh(client, refreshToken))).toBe('invalid_grant');
  expect((await setStatus(1)).status).toBe(200);
  await refreshed(client, refreshToken);
});

const warm = async (client: TestClient, token: string): Promise<void> => {
  for (let turn = 0; turn < 2; turn += 1) {
    expect((await t.introspect(client, token)).active).toBe(true);
    expect((await t.userinfo(token)).status).toBe(200);
  }
};

/** Whatever ends an access token: each counts at the very next call, though the token was known without being read. */
const ends: Record<string, (user: Member, client: TestClient, tokens: Tokens) => Promise<unknown>> = {
  'it is revoked': (_user, _client, { access_token }) => t.post('/api/oauth2/revoke', { token: access_token }),
  'its refresh token is revoked': (_user, _client, tokens) =>
    t.post('/api/oauth2/revoke', { token: tokens.refresh_token }),
  'its refresh token is used': (_user, client, tokens) => t.refresh(client, tokens.refresh_token),
  'the consent is revoked': (user, { id }) => user.call(`/api/oauth2/consents/${id}`, { method: 'DELETE' }),
  'the application is suspended': (_user, { id }) => t.act('suspend', id),
  'the application is deleted': (_user, { id }) => t.owner.call(`/api/oauth2/applications/${id}`, { method: 'DELETE' }),
  'the user is disabled': async (user) =>
    (await t.root()).call(`/api/admin/users/${user.id}`, { method: 'PUT', body: { status: 2 } }),
  'the user is deleted': async (user) => (await t.root()).call(`/api/admin/users/${user.id}`, { method: 'DELETE' }),
};

test.each(Object.entries(ends))('an access token is rejected as soon as %s', async (_, end) => {
  const [user, client] = [await t.user(), await t.client()];
  const tokens = await t.tokens(client, {}, user);
  await warm(client, tokens.access_token);
  await end(user, client, tokens);
  expect((await t.userinfo(tokens.access_token)).status).not.toBe(200);
  expect((await t.introspect(client, tokens.access_token)).active).not.toBe(true);
});

test('reusing a code or a refresh token ends a cached access token', async () => {
  const [user, client] = [await t.user(), await t.client()];
  const code = await t.code(client, {}, user);
  const first = (await jsonOf(await t.exchange(client, { code }))) as unknown as Tokens;
  await warm(client, first.access_token);
  expect(await errorOf(await t.exchange(client, { code }))).toBe('invalid_grant');
  expect((await t.userinfo(first.access_token)).status).toBe(401);

  const spent = await t.tokens(client, {}, user);
  const second = (await jsonOf(await t.refresh(client, spent.refresh_token))) as unknown as Tokens;
  t.clock.advance(11_000);
  await warm(client, second.access_token);
  expect(await errorOf(await t.refresh(client, spent.refresh_token))).toBe('invalid_grant');
  expect((await t.userinfo(second.access_token)).status).toBe(401);
});

test('changes that end nothing are visible at the next call', async () => {
  const [user, client] = [await t.user(), await t.client()];
  const { access_token } = await t.tokens(client, {}, user);
  await warm(client, access_token);
  await user.call('/api/user/self', { method: 'PUT', body: { display_name: 'Another' } });
  expect((await jsonOf(await t.userinfo(access_token))).display_name).toBe('Another');
  await warm(client, access_token);
  await t.owner.call(`/api/oauth2/applications/${client.id}`, { method: 'PUT', body: { scopes: 'openid' } });
  expect((await t.introspect(client, access_token)).scope).toBe('openid');
});

test('the balance is always current', async () => {
  const [user, client] = [await t.user(), await t.client()];
  const { access_token } = await t.tokens(client, { scope: 'openid usage:read' }, user);
  const quota = async () => (await jsonOf(await t.userinfo(access_token))).quota;
  const before = await quota();
  expect(await quota()).toBe(before);
  await (await t.root()).call(`/api/admin/users/${user.id}/credits`, { method: 'POST', body: { quota: 5, note: '' } });
  expect(await quota()).toBe(before + 5);
});

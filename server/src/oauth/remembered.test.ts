import { afterAll, beforeAll, expect, test } from 'bun:test';
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

test('a new secret counts at the next refresh, and the old one no more', async () => {
  const { client, refreshToken } = await wellKnown();
  const answer = await t.owner.call(`/api/oauth2/applications/${client.id}/rotate-secret`, { method: 'POST' });
  const { data } = (await answer.json()) as { data: { client_secret_plain: string } };
  expect(await errorOf(await t.refresh(client, refreshToken))).toBe('invalid_client');
  await refreshed({ ...client, secret: data.client_secret_plain }, refreshToken);
});

test('a suspension counts at the next refresh', async () => {
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

test('a disabled user counts at the next refresh, and again when enabled', async () => {
  const { client, refreshToken } = await wellKnown();
  const root = await t.root();
  const setStatus = (status: number) =>
    root.call(`/api/admin/users/${t.member.id}`, { method: 'PUT', body: { status } });
  expect((await setStatus(2)).status).toBe(200);
  expect(await errorOf(await t.refresh(client, refreshToken))).toBe('invalid_grant');
  expect((await setStatus(1)).status).toBe(200);
  await refreshed(client, refreshToken);
});

import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { administration } from './mcp.fixture.ts';
import { type SignedInServer, startSignedIn } from './signed-in.fixture.ts';

/* Authorization servers that read documents of clients know us by the address of ours, and need not register us. */

const address = 'https://gateway.example/client-metadata.json';
let t: TestApp;
let root: Member;
let server: SignedInServer;
let count = 0;

const open = async (baseUrl: string) => {
  const app = await openTestApp({ env: { BASE_URL: baseUrl, ALLOW_PRIVATE_WEBHOOKS: '1' } });
  await app.setOption('RateLimitEnabled', false);
  return app;
};
beforeAll(async () => {
  t = await open('https://gateway.example');
  root = await t.root();
});
beforeEach(() => {
  server?.stop();
  server = startSignedIn();
  server.readsDocuments = true;
});
afterAll(async () => {
  server.stop();
  await t.close();
});

async function connect(fields: object = {}, by = root): Promise<number> {
  count += 1;
  return (await administration(by).connect(`d${count}`, server.url, { auth: 'oauth', ...fields })).id;
}
async function begin(id: number, by = root): Promise<URL> {
  const answer = await by.call(`/api/mcp/servers/${id}/authorize`, { method: 'POST' });
  return new URL(((await answer.json()) as { data: { authorization_url: string } }).data.authorization_url);
}
/** As whom we asked for a token. */
async function signIn(id: number, by = root): Promise<string | null> {
  const state = (await begin(id, by)).searchParams.get('state')!;
  const back = await by.call(`/api/mcp/authorized?${new URLSearchParams({ state, code: 'alice' })}`);
  expect(back.headers.get('location')).toContain('?signed_in=');
  return server.asked.at(-1)!.get('client_id');
}

test('the client document is public and names its own address and the redirect URI', async () => {
  const answer = await t.call('/client-metadata.json');
  expect([answer.status, answer.headers.get('content-type')?.split(';')[0]]).toEqual([200, 'application/json']);
  expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
  expect((await answer.json()) as object).toEqual({
    client_id: address,
    client_name: 'svc',
    client_uri: 'https://gateway.example',
    redirect_uris: ['https://gateway.example/api/mcp/authorized'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  });
});

test("the document's address is used as client id if the authorization server reads it", async () => {
  const id = await connect();
  const url = await begin(id);
  expect(url.searchParams.get('client_id')).toBe(address);
  expect(url.searchParams.get('redirect_uri')).toBe('https://gateway.example/api/mcp/authorized');
  expect([await signIn(id), server.registered]).toEqual([address, 0]);
  // Also of whoever signs in again.
  expect([await signIn(id), server.registered]).toEqual([address, 0]);
});

test('registers dynamically if the document is not read', async () => {
  server.readsDocuments = false;
  expect([await signIn(await connect()), server.registered]).toEqual(['client-1', 1]);
});

test('a manually entered client takes precedence over both', async () => {
  server.byHand = { app: '' };
  expect(await signIn(await connect({ client_id: 'app' }))).toBe('app');
});

test('registers dynamically if the document is turned off, even where it was used before', async () => {
  const id = await connect();
  expect(await signIn(id)).toBe(address);
  await t.setOption('McpClientDocument', false);
  expect([await signIn(id), server.registered]).toEqual(['client-1', 1]);
  await t.setOption('McpClientDocument', true);
});

test('registers dynamically if our address is not https', async () => {
  const plain = await open('http://gateway.example');
  const by = await plain.root();
  expect([await signIn(await connect({}, by), by), server.registered]).toEqual(['client-1', 1]);
  await plain.close();
});

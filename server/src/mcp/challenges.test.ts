import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { administration, connectClient } from './mcp.fixture.ts';
import { type SignedInServer, startSignedIn, unspelled } from './signed-in.fixture.ts';

/* What a server says to whoever comes without a token, or with too little, is what a sign-in asks for. */

let t: TestApp;
let root: Member;
let server: SignedInServer;
let origin: string;
let name: string;
let id: number;
let count = 0;

beforeAll(async () => {
  t = await openTestApp({ env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
  await t.setOption('RateLimitEnabled', false);
  root = await t.root();
  server = startSignedIn();
  origin = new URL(server.url).origin;
});
beforeEach(async () => {
  [server.challenge, server.refusal] = [null, null];
  name = `t${++count}`;
  ({ id } = await administration(root).connect(name, server.url, { auth: 'oauth' }));
});
afterAll(async () => {
  server.stop();
  await t.close();
});

async function begin(): Promise<URL> {
  const answer = await root.call(`/api/mcp/servers/${id}/authorize`, { method: 'POST' });
  return new URL(((await answer.json()) as { data: { authorization_url: string } }).data.authorization_url);
}
async function signIn(): Promise<URL> {
  const page = await begin();
  const query = new URLSearchParams({ state: page.searchParams.get('state')!, code: 'alice' });
  const back = await root.call(`/api/mcp/authorized?${query}`);
  expect(back.headers.get('location')).toEndWith(`/tools?signed_in=${name}`);
  return page;
}
const scopeOf = (page: URL): string[] | undefined => page.searchParams.get('scope')?.split(' ').toSorted();
async function call(): Promise<string> {
  const { client } = await connectClient(t, `/mcp/${name}`, await root.key());
  const told = await client.callTool({ name: 'who', arguments: {} }).then(
    ({ content }) => unspelled(JSON.stringify(content)),
    (error: Error) => error.message,
  );
  await client.close();
  return told;
}

test('metadata is read from the address in the challenge, and only its scopes are requested', async () => {
  server.challenge = `Bearer resource_metadata="${origin}/elsewhere/documents", scope="list"`;
  const page = await signIn();
  expect([page.pathname, scopeOf(page)]).toEqual(['/inner/authorize', ['list']]);
});

test('a challenge without usable content changes nothing', async () => {
  for (const challenge of [
    null,
    'Bearer',
    'Basic realm="x"',
    'Bearer resource_metadata="no address", scope=""',
    'Bearer resource_metadata="file:///etc/passwd"',
  ]) {
    server.challenge = challenge;
    const page = await begin();
    expect([page.pathname, scopeOf(page)]).toEqual(['/authorize', undefined]);
  }
});

test('a missing scope is reported, and requested in addition by the next sign-in', async () => {
  await signIn();
  await administration(root).allow(id);
  server.refusal = 'Bearer error="insufficient_scope", scope="act"';
  const calls = server.behind.calls.length;
  expect(await call()).toContain('sign in to it again and grant more permissions');
  expect(server.behind.calls.length).toBe(calls);
  expect(scopeOf(await signIn())).toEqual(['act', 'list']);
  server.refusal = null;
  expect(await call()).toContain('Bearer token-alice');
  // Whoever signs out begins anew.
  await root.call(`/api/mcp/servers/${id}/authorize`, { method: 'DELETE' });
  expect(scopeOf(await begin())).toBeUndefined();
});

test('a refusal for another reason is passed on unchanged', async () => {
  await signIn();
  await administration(root).allow(id);
  server.refusal = 'Bearer error="access_denied"';
  expect(await call()).toContain('status 403');
  expect(scopeOf(await begin())).toBeUndefined();
});

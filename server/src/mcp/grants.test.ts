import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { manualClock } from '../lib/clock.ts';
import { administration, connectClient } from './mcp.fixture.ts';
import { type SignedInServer, startSignedIn, tokenSeen, unspelled } from './signed-in.fixture.ts';
import * as grants from './store/grants.ts';

const clock = manualClock(Date.UTC(2026, 0, 15, 12));
let t: TestApp;
let root: Member;
let user: Member;
let server: SignedInServer;
let id: number;

beforeAll(async () => {
  t = await openTestApp({ clock, env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
  await t.setOption('RateLimitEnabled', false);
  [root, user] = [await t.root(), await t.user()];
  server = startSignedIn();
  ({ id } = await administration(root).connect('theirs', server.url, { auth: 'oauth' }));
});
afterAll(async () => {
  server.stop();
  await t.close();
});

async function begin(by: Member): Promise<URL> {
  const answer = await by.call(`/api/mcp/servers/${id}/authorize`, { method: 'POST' });
  expect(answer.status).toBe(200);
  return new URL(((await answer.json()) as { data: { authorization_url: string } }).data.authorization_url);
}
const comeBack = (by: Member, query: Record<string, string>) =>
  by.call(`/api/mcp/authorized?${new URLSearchParams(query)}`);
/** The page of ours that a browser is sent to. */
async function sentTo(coming: Promise<Response>): Promise<string> {
  const answer = await coming;
  expect(answer.status).toBe(303);
  return answer.headers.get('location')!.replace(t.config.webUrl, '');
}
async function signIn(by: Member, as: string): Promise<void> {
  const state = (await begin(by)).searchParams.get('state')!;
  expect(await sentTo(comeBack(by, { state, code: as }))).toBe('/tools?signed_in=theirs');
}
/** As the user is told. */
async function isSignedIn(by: Member): Promise<boolean | null> {
  const { data } = (await (await by.call('/api/mcp/connections')).json()) as {
    data: { servers: { name: string; signed_in: boolean | null }[] };
  };
  return data.servers.find(({ name }) => name === 'theirs')!.signed_in;
}
/** What a run of theirs is told. */
async function toldOf({ id: userId }: Member): Promise<string> {
  const asking = { signal: new AbortController().signal, approved: true };
  return unspelled((await t.app.mcp.tools.call({ userId, keyId: null }, 'theirs__who', {}, asking)).text);
}
const whoIs = (by: Member): Promise<string> => tokenSeen(t, 'theirs', by);

test('each user signs in separately, and calls use their own token', async () => {
  const admin = administration(root);
  expect((await admin.test(id)).error).toContain('sign in');
  await signIn(root, 'root');
  await admin.allow(id);
  expect(await t.app.mcp.tools.list(user.id)).toEqual([]);
  expect(await isSignedIn(user)).toBe(false);
  await expect(whoIs(user)).rejects.toThrow();
  await begin(user);
  expect(await isSignedIn(user)).toBe(false);
  await signIn(user, 'alice');
  expect(await isSignedIn(user)).toBe(true);
  expect(await whoIs(user)).toMatch(/^Bearer token-alice-/);
  expect(await whoIs(root)).toMatch(/^Bearer token-root-/);
  clock.advance(31_000);
  expect(await toldOf(user)).toMatch(/^Bearer token-alice-/);
  expect((await t.app.mcp.tools.list(user.id)).map(({ name }) => name)).toEqual(['theirs__who']);
});

test('the authorization request is bound to the client, the server and this attempt', async () => {
  const { searchParams } = await begin(user);
  const place = `${t.config.webUrl}/api/mcp/authorized`;
  expect(Object.fromEntries(searchParams)).toMatchObject({
    ...{ response_type: 'code', code_challenge_method: 'S256', redirect_uri: place, resource: server.url },
  });
  expect(server.asked.every((asked) => asked.get('resource') === server.url)).toBe(true);
  // A stranger with the state of another gets nowhere, and the one it belongs to still does, once.
  const state = searchParams.get('state')!;
  expect((await comeBack(root, { state, code: 'alice' })).status).toBe(404);
  expect((await comeBack(user, { state, code: 'alice' })).status).toBe(303);
  expect((await comeBack(user, { state, code: 'alice' })).status).toBe(404);
  expect((await comeBack(user, { code: 'alice' })).status).toBe(400);
  const refused = (await begin(user)).searchParams.get('state')!;
  expect(await sentTo(comeBack(user, { state: refused, error: 'access_denied' }))).toBe('/tools?not_signed_in=theirs');
  const wrong = (await begin(user)).searchParams.get('state')!;
  expect(await sentTo(comeBack(user, { state: wrong, code: 'wrong' }))).toBe('/tools?not_signed_in=theirs');
  const late = (await begin(user)).searchParams.get('state')!;
  clock.advance(16 * 60_000);
  expect((await comeBack(user, { state: late, code: 'alice' })).status).toBe(404);
  // What was granted before all this still counts.
  expect(await whoIs(user)).toMatch(/^Bearer token-alice-/);
});

test('an expiring token is renewed once, and no token is stored in plain text', async () => {
  const before = await whoIs(user);
  clock.advance(3_600_000);
  const refreshes = () => server.asked.filter((asked) => asked.get('grant_type') === 'refresh_token').length;
  const had = refreshes();
  const [one, two] = await Promise.all([whoIs(user), whoIs(user)]);
  expect([one === before, one === two, refreshes()]).toEqual([false, true, had + 1]);
  const rows = await t.platform.database.db.selectFrom('mcp_grants').selectAll().execute();
  expect(JSON.stringify(rows)).not.toContain('alice');
});

test('a rejected token is renewed and the call repeated; without a new token the user must sign in', async () => {
  const before = await whoIs(user);
  clock.advance(60_000);
  server.valid.delete(before.replace('Bearer ', ''));
  const called = server.behind.calls.length;
  const after = await whoIs(user);
  expect(after).toMatch(/^Bearer token-alice-/);
  expect([after === before, server.behind.calls.length]).toEqual([false, called + 1]);
  // One that is refused at once is not asked for again and again.
  server.valid.clear();
  const asked = server.asked.length;
  expect(await toldOf(user)).toContain('the user has to sign in to it');
  await expect(whoIs(user)).rejects.toThrow();
  expect(server.asked.length).toBe(asked);
  clock.advance(60_000);
  expect(await whoIs(user)).toMatch(/^Bearer token-alice-/);
});

test('after a rejection, a token that another process has renewed is used', async () => {
  const before = (await whoIs(user)).replace('Bearer ', '');
  const { db } = t.platform.database;
  const { sealer } = t.app.mcp.room;
  const stored = (await grants.findGrant(db, id, user.id))!;
  const grant = JSON.parse(sealer.open(stored.sealed)) as { tokens: object };
  const renewed = { ...grant, tokens: { ...grant.tokens, access_token: 'token-alice-elsewhere' } };
  await grants.replaceGrant(db, stored, sealer.seal(JSON.stringify(renewed)), 1);
  server.valid.delete(before);
  server.valid.add('token-alice-elsewhere');
  expect(await whoIs(user)).toBe('Bearer token-alice-elsewhere');
});

test('a client that was registered with another callback address registers again', async () => {
  const { db } = t.platform.database;
  const { sealer } = t.app.mcp.room;
  const clientOf = async () => (await begin(user)).searchParams.get('client_id');
  const before = await clientOf();
  expect(await clientOf()).toBe(before);
  const stored = (await grants.findGrant(db, id, user.id))!;
  const grant = JSON.parse(sealer.open(stored.sealed)) as { client: object };
  const moved = { ...grant, client: { ...grant.client, redirect_uris: ['https://old.example/api/mcp/authorized'] } };
  await grants.replaceGrant(db, stored, sealer.seal(JSON.stringify(moved)), 1);
  expect(await clientOf()).not.toBe(before);
  // The grant of the old client works until the new sign-in is complete.
  expect(await whoIs(user)).toMatch(/^Bearer token-alice-/);
});

test('an authorization server that does not renew tokens is not asked with every call', async () => {
  await toldOf(user);
  clock.advance(3_600_000);
  const tries = () => server.asked.length;
  server.refusesRenewal = true;
  expect(await toldOf(user)).toContain('sign in');
  const had = tries();
  expect(had).toBeGreaterThan(0);
  for (let calls = 0; calls < 3; calls += 1) expect(await toldOf(user)).toContain('sign in');
  expect(tries()).toBe(had);
  server.refusesRenewal = false;
  clock.advance(6_000);
  expect(await toldOf(user)).toMatch(/^Bearer token-alice-/);
});

test('a warm call reads no token from the database', async () => {
  const { client } = await connectClient(t, '/mcp/theirs', await user.key());
  const call = () => client.callTool({ name: 'who', arguments: {} });
  await call();
  await call();
  const read = spyOn(grants, 'findGrant');
  await call();
  expect(read).not.toHaveBeenCalled();
  read.mockRestore();
  await client.close();
});

test('removing a sign-in or moving the server requires signing in again', async () => {
  expect((await user.call(`/api/mcp/servers/${id}/authorize`, { method: 'DELETE' })).status).toBe(200);
  expect(await isSignedIn(user)).toBe(false);
  await expect(whoIs(user)).rejects.toThrow();
  await signIn(user, 'alice');
  expect(await whoIs(user)).toMatch(/^Bearer token-alice-/);
  const elsewhere = startSignedIn();
  await administration(root).send('PUT', `/${id}`, { url: elsewhere.url });
  await expect(whoIs(user)).rejects.toThrow();
  expect(elsewhere.behind.heard).toEqual([]);
  elsewhere.stop();
});

test('signing in is refused for servers without sign-in and for users without access', async () => {
  const { id: plain } = await administration(root).connect('plain', server.url);
  const authorize = (by: Member, which: number) => by.call(`/api/mcp/servers/${which}/authorize`, { method: 'POST' });
  expect((await authorize(user, plain)).status).toBe(400);
  await administration(root).send('PUT', `/${id}`, { audience: 'administrators' });
  expect((await authorize(user, id)).status).toBe(404);
  expect((await authorize(user, 999_999)).status).toBe(404);
});

import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { manualClock } from '../lib/clock.ts';
import { openSealer } from '../lib/seal.ts';
import { keyEntry } from '../platform/sealing-keys.ts';
import { administration } from './mcp.fixture.ts';
import { type SignedInServer, startSignedIn, tokenSeen } from './signed-in.fixture.ts';
import { findServer, resealServers } from './store/servers.ts';

/* Servers whose authorization server registers nobody: whoever connects one enters a client that was registered there by hand. */

const clock = manualClock(Date.UTC(2026, 0, 15, 12));
const secret = 'never+shown/again=';
/** Read with and without decoding, these are different. */
const oddId = 'urn:svc 1+%41';
const oddSecret = 'never+shown: %41&=~';
const base = '/api/mcp/servers';
let t: TestApp;
let root: Member;
let user: Member;
let server: SignedInServer;
let count = 0;

beforeAll(async () => {
  t = await openTestApp({ clock, env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
  await t.setOption('RateLimitEnabled', false);
  await t.setOption('McpUserServers', true);
  [root, user] = [await t.root(), await t.user()];
  server = startSignedIn();
  server.byHand = { 'with-secret': secret, 'without-secret': '', [oddId]: oddSecret };
});
afterAll(async () => {
  server.stop();
  await t.close();
});

interface Shown {
  id: number;
  name: string;
  client_id: string;
  has_client_secret: boolean;
}
type Said = { data: Shown; message?: string };
async function send(method: string, path: string, body?: unknown, by = root) {
  const answer = await by.call(`${base}${path}`, { method, body });
  const text = await answer.text();
  expect(text).not.toContain('never+shown');
  const { data, message } = JSON.parse(text) as Said;
  return { status: answer.status, data, message, text };
}
async function connect(fields: object, by = root): Promise<Shown> {
  count += 1;
  const body = { name: `c${count}`, url: server.url, auth: 'oauth', ...fields };
  const { status, data, message } = await send('POST', '', body, by);
  expect([status, message]).toEqual([201, undefined]);
  return data;
}
async function begin(id: number, by = root) {
  const answer = await by.call(`${base}/${id}/authorize`, { method: 'POST' });
  const said = (await answer.json()) as { data?: { authorization_url: string }; message?: string };
  return { url: said.data && new URL(said.data.authorization_url), message: said.message ?? '' };
}
async function signIn(id: number, by = root): Promise<string> {
  const { url, message } = await begin(id, by);
  if (!url) return message;
  const query = new URLSearchParams({ state: url.searchParams.get('state')!, code: 'alice' });
  const back = await by.call(`/api/mcp/authorized?${query}`);
  return new URL(back.headers.get('location')!).search.replace(/=.*/, '');
}
const whoIs = (name: string, by = root): Promise<string> => tokenSeen(t, name, by);

test('signing in without a client fails with the missing setting', async () => {
  const { id, ...shown } = await connect({});
  expect(shown).toMatchObject({ client_id: '', has_client_secret: false });
  expect(await signIn(id)).toContain('enter a client registered there manually');
});

test.each([
  ['with-secret', { client_id: 'with-secret', client_secret: secret }],
  ['without-secret', { client_id: 'without-secret' }],
  [oddId, { client_id: oddId, client_secret: oddSecret }],
])('users sign in with a client %s, which also renews their tokens', async (client_id, client) => {
  for (const by of [root, user]) {
    const { id, name, ...shown } = await connect(client, by);
    expect(shown).toMatchObject({ client_id, has_client_secret: 'client_secret' in client });
    const { url } = await begin(id, by);
    expect(url?.searchParams.get('client_id')).toBe(client_id);
    expect(await signIn(id, by)).toBe('?signed_in');
    await administration(by).allow(id);
    const before = await whoIs(name, by);
    clock.advance(3_600_000);
    const after = await whoIs(name, by);
    expect(after).toMatch(/^Bearer token-alice-/);
    expect(after).not.toBe(before);
  }
  expect(server.registered).toBe(0);
});

test('the secret is in no answer, table, export or log', async () => {
  const warned = spyOn(console, 'warn').mockImplementation(() => {});
  const { id } = await connect({ client_id: 'unknown-there', client_secret: secret }, user);
  expect(await signIn(id, user)).toBe('?not_signed_in');
  const told = JSON.stringify(warned.mock.calls);
  warned.mockRestore();
  // What the authorization server said of the client is told without what it was sent.
  expect(told).toContain('who is');
  const { db } = t.platform.database;
  const rows = [];
  for (const table of ['mcp_servers', 'mcp_grants', 'audit_log'] as const)
    rows.push(
      await db
        .selectFrom(table as 'mcp_servers')
        .selectAll()
        .execute(),
    );
  const own = [];
  for await (const page of t.app.mcp.exportOf(user.id).servers!) own.push(page);
  expect(JSON.stringify(own)).toContain('unknown-there');
  for (const text of [told, JSON.stringify(rows), JSON.stringify(own)]) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(btoa(`unknown-there:${secret}`));
  }
});

test('changing or removing the id or secret ends sign-ins made with the previous client', async () => {
  const { id, name } = await connect({ client_id: 'with-secret', client_secret: secret });
  const changes: [change: object, shown: object][] = [
    [
      { client_id: 'without-secret', client_secret: '' },
      { client_id: 'without-secret', has_client_secret: false },
    ],
    [
      { client_id: 'with-secret', client_secret: secret },
      { client_id: 'with-secret', has_client_secret: true },
    ],
    [{ client_secret: secret }, { client_id: 'with-secret', has_client_secret: true }],
    [{ client_id: '' }, { client_id: '', has_client_secret: false }],
  ];
  await signIn(id);
  await administration(root).allow(id);
  for (const [change, shown] of changes) {
    expect(await signIn(id)).toBe('?signed_in');
    // What says nothing new ends nothing.
    expect((await send('PUT', `/${id}`, { enabled: true, timeout_ms: 9_000 })).status).toBe(200);
    expect(await whoIs(name)).toMatch(/^Bearer /);
    expect((await send('PUT', `/${id}`, change)).data).toMatchObject(shown);
    await expect(whoIs(name)).rejects.toThrow();
  }
});

test('invalid fields are rejected by name and change nothing', async () => {
  const { id } = await connect({ client_id: 'with-secret', client_secret: secret });
  const wrong: [field: string, body: object][] = [
    ['client_id', { client_id: 'a\nb', client_secret: secret }],
    ['client_id', { client_id: 'a\u007f', client_secret: secret }],
    ['client_id', { client_id: 'ü', client_secret: secret }],
    ['client_id', { client_id: 'x'.repeat(2_001), client_secret: secret }],
    ['client_id', { client_id: 7 }],
    ['client_id', { client_id: null }],
    ['client_secret', { client_id: 'a', client_secret: 'b\r\nc' }],
    ['client_secret', { client_id: 'a', client_secret: 'x'.repeat(2_001) }],
    ['client_secret', { client_id: 'a', client_secret: 7 }],
    ['client_secret', { client_id: '', client_secret: 'b' }],
  ];
  for (const [field, body] of wrong)
    for (const [method, path, more] of [
      ['POST', '', { name: 'wrong', url: server.url, auth: 'oauth' }],
      ['PUT', `/${id}`, {}],
    ] as const) {
      const { status, text } = await send(method, path, { ...more, ...body });
      expect([body, status, text.includes(field)]).toEqual([body, 400, true]);
    }
  const alone = { name: 'wrong', url: server.url, auth: 'oauth', client_secret: 'b' };
  expect((await send('POST', '', alone)).message).toContain('client_secret');
  // A secret is one client's, at one place.
  for (const change of [{ client_id: 'other' }, { url: 'https://evil.example.com/mcp' }]) {
    const { status, message } = await send('PUT', `/${id}`, change);
    expect([status, message?.includes('client_secret: enter it again')]).toEqual([400, true]);
  }
  expect((await send('GET', `/${id}`)).data).toMatchObject({ client_id: 'with-secret', has_client_secret: true });
  expect(await signIn(id)).toBe('?signed_in');
});

test("a client's secret is sent only to the authorization server it was first used with", async () => {
  const { id } = await connect({ client_id: 'with-secret', client_secret: secret });
  expect(await signIn(id)).toBe('?signed_in');
  const other = startSignedIn();
  other.byHand = {};
  server.issuer = new URL(other.url).origin;
  expect(await signIn(id)).toContain('not the one its client was used with');
  expect(other.asked).toEqual([]);
  // Whoever means it says so, by entering the secret again.
  await send('PUT', `/${id}`, { client_secret: secret });
  expect((await begin(id)).url?.origin).toBe(server.issuer);
  server.issuer = null;
  other.stop();
});

test('rotating the encryption key re-encrypts the secret', async () => {
  const { db } = t.platform.database;
  const { id } = await connect({ client_id: 'with-secret', client_secret: secret });
  const keys = [keyEntry(new Uint8Array(32).fill(7)), ...t.platform.sealingKeys];
  const { reseal, open } = openSealer({ keys });
  expect(await resealServers(db, reseal)).toBeGreaterThan(0);
  expect(await resealServers(db, reseal)).toBe(0);
  const { sealedClientSecret } = (await findServer(db, id))!;
  expect(sealedClientSecret.split('.')[1]).toBe(keys[0]!.id);
  expect(open(sealedClientSecret)).toBe(secret);
  // Without that key it cannot be read here, which is told and not a crash.
  expect(await signIn(id)).toContain('it is not configured');
});

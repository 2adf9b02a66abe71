import { afterAll, beforeAll, beforeEach, expect, spyOn, test } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
import type { JWK } from 'jose';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { manualClock } from '../lib/clock.ts';
import { openSealer } from '../lib/seal.ts';
import { keyEntry } from '../platform/sealing-keys.ts';
import { administration } from './mcp.fixture.ts';
import { openOwnTokens } from './own-tokens.ts';
import { type SignedInServer, startSignedIn, tokenSeen } from './signed-in.fixture.ts';
import { findOwnGrant, resealOwnGrants } from './store/own-grants.ts';
import { findServer, resealServers } from './store/servers.ts';

/* Servers that the service signs in to for itself: nobody else does, and all who may use one share its token. */

const clock = manualClock(Date.UTC(2026, 0, 15, 12));
const secret = 'never+shown/again=';
const base = '/api/mcp/servers';
let t: TestApp;
let root: Member;
let user: Member;
let server: SignedInServer;
let count = 0;

beforeAll(async () => {
  t = await openTestApp({ clock, env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
  await t.setOption('RateLimitEnabled', false);
  [root, user] = [await t.root(), await t.user()];
});
beforeEach(() => {
  server?.stop();
  server = startSignedIn();
  server.byHand = { app: secret };
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
  has_client_key: boolean;
}
async function send(method: string, path: string, body?: unknown) {
  const answer = await root.call(`${base}${path}`, { method, body });
  const text = await answer.text();
  expect(text).not.toContain('never+shown');
  expect(text).not.toContain('PRIVATE KEY');
  const { data, message } = JSON.parse(text) as { data: Shown; message?: string };
  return { status: answer.status, data, message };
}
const own = (fields: object = {}) => {
  count += 1;
  const client = { auth: 'client_credentials', client_id: 'app', client_secret: secret };
  return { name: `o${count}`, url: server.url, audience: 'everyone', timeout_ms: 20_000, ...client, ...fields };
};
async function connect(fields: object = {}): Promise<Shown> {
  const { status, data, message } = await send('POST', '', own(fields));
  expect([status, message]).toEqual([201, undefined]);
  return data;
}
const whoIs = (name: string, by = user): Promise<string> => tokenSeen(t, name, by);
/** Connected, with its tool allowed. */
async function ready(fields: object = {}): Promise<Shown> {
  const shown = await connect(fields);
  await administration(root).allow(shown.id);
  return shown;
}

test('no user signs in; all users share one token, which is renewed before it expires', async () => {
  const { id, name, ...shown } = await ready();
  expect(shown).toMatchObject({ client_id: 'app', has_client_secret: true, has_client_key: false });
  expect([await whoIs(name, root), await whoIs(name, user)]).toEqual(Array(2).fill('Bearer token-service-1'));
  expect(server.asked).toHaveLength(1);
  expect(Object.fromEntries(server.asked[0]!)).toEqual({
    grant_type: 'client_credentials',
    resource: server.url,
  });
  const { data } = (await (await user.call('/api/mcp/connections')).json()) as {
    data: { servers: { name: string; auth: string; signed_in: boolean | null }[] };
  };
  expect(data.servers.find((one) => one.name === name)).toMatchObject({ auth: 'client_credentials', signed_in: null });
  expect((await user.call(`${base}/${id}/authorize`, { method: 'POST' })).status).toBe(400);

  clock.advance((3_600 - 31) * 1_000);
  expect(await whoIs(name)).toBe('Bearer token-service-1');
  clock.advance(2_000);
  // Those who come at once share the new one.
  const shared = await Promise.all([whoIs(name), whoIs(name, root), whoIs(name)]);
  expect([...new Set(shared)]).toEqual(['Bearer token-service-2']);
  expect(server.asked).toHaveLength(2);
});

test('processes that need a token at the same time use the same one', async () => {
  const { id } = await connect();
  const stored = (await findServer(t.platform.database.db, id))!;
  const processes = [1, 2, 3].map(() => openOwnTokens(t.app.mcp.room));
  const tokens = await Promise.all(processes.flatMap((one) => [one.token(stored, null), one.token(stored, null)]));
  expect(new Set(tokens.map(({ text }) => text)).size).toBe(1);
  expect(server.asked.length).toBeLessThanOrEqual(3);
  expect(await openOwnTokens(t.app.mcp.room).token(stored, null)).toEqual(tokens[0]!);
});

test('a rejected token is replaced, but not with every call', async () => {
  const { name } = await ready();
  await whoIs(name);
  server.valid.clear();
  await expect(whoIs(name)).rejects.toThrow();
  expect(server.asked).toHaveLength(1);
  clock.advance(10_000);
  expect(await whoIs(name)).toBe('Bearer token-service-2');
  server.valid.clear();
  await expect(whoIs(name)).rejects.toThrow();
  expect(server.asked).toHaveLength(2);
});

test('a missing scope is requested once, in addition to the existing ones', async () => {
  const { name } = await ready();
  server.refusal = 'Bearer error="insufficient_scope", scope="act"';
  await expect(whoIs(name)).rejects.toThrow('the next call uses one with more');
  await expect(whoIs(name)).rejects.toThrow('does not have this permission there');
  await expect(whoIs(name)).rejects.toThrow('does not have this permission there');
  expect(server.asked.map((asked) => asked.get('scope'))).toEqual([null, 'list act']);
  server.refusal = null;
  expect(await whoIs(name)).toBe('Bearer token-service-2');
});

const pair = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
  return { pem, public: publicKey.export({ format: 'jwk' }) as JWK };
};

test('a key signs in place of a secret', async () => {
  const key = pair();
  server.keys = { signer: key.public };
  const client = { client_id: 'signer', client_secret: undefined, client_key: key.pem };
  const { name, ...shown } = await ready(client);
  expect(shown).toMatchObject({ client_id: 'signer', has_client_secret: false, has_client_key: true });
  expect(await whoIs(name)).toBe('Bearer token-service-1');
  expect(server.asked[0]!.has('client_secret')).toBe(false);
});

test('users can also sign in with a client that has a key', async () => {
  const key = pair();
  server.keys = { signer: key.public };
  const client = { auth: 'oauth', client_id: 'signer', client_secret: undefined, client_key: key.pem };
  const { id } = await connect(client);
  const begun = await root.call(`${base}/${id}/authorize`, { method: 'POST' });
  const { data } = (await begun.json()) as { data: { authorization_url: string } };
  const state = new URL(data.authorization_url).searchParams.get('state')!;
  const back = await root.call(`/api/mcp/authorized?${new URLSearchParams({ state, code: 'alice' })}`);
  expect(back.headers.get('location')).toContain('?signed_in=');
});

test('invalid fields are rejected by name and change nothing', async () => {
  const key = pair().pem;
  const wrong: [field: string, body: object][] = [
    ['client_id', { client_id: '', client_secret: undefined }],
    ['client_id', { client_id: undefined, client_secret: undefined }],
    ['client_secret', { client_secret: '' }],
    ['client_secret', { client_secret: undefined }],
    ['client_key', { client_key: key }],
    ...['x', 7, null, 'x'.repeat(20_001)].map((client_key): [string, object] => [
      ...(['client_key', { client_secret: undefined, client_key }] as const),
    ]),
  ];
  for (const [field, body] of wrong) {
    const { status, message } = await send('POST', '', own(body));
    expect([body, status, message?.startsWith(field)]).toEqual([body, 400, true]);
  }
  const { id } = await connect();
  for (const [field, change] of [
    ['client_id', { client_id: '' }],
    ['client_secret', { client_secret: '' }],
    ['client_secret', { client_id: 'other' }],
    ['client_key', { client_key: 'x' }],
    ['client_key', { client_key: key, client_secret: 'both' }],
  ] as const) {
    const { status, message } = await send('PUT', `/${id}`, change);
    expect([change, status, message?.startsWith(field)]).toEqual([change, 400, true]);
  }
  const users = await connect({ auth: 'headers', client_id: undefined, client_secret: undefined });
  expect((await send('PUT', `/${users.id}`, { auth: 'client_credentials' })).status).toBe(400);
  expect((await send('GET', `/${id}`)).data).toMatchObject({ client_id: 'app', has_client_secret: true });
});

test('a key replaces a secret, and a secret replaces a key', async () => {
  const key = pair();
  server.keys = { app: key.public };
  const { id, name } = await ready();
  expect(await whoIs(name)).toBe('Bearer token-service-1');
  const { data } = await send('PUT', `/${id}`, { client_key: key.pem });
  expect(data).toMatchObject({ has_client_secret: false, has_client_key: true });
  // What was given to the client before is not used by this one.
  expect(await whoIs(name)).toBe('Bearer token-service-2');
  expect(server.asked[1]!.has('client_assertion')).toBe(true);
  const back = await send('PUT', `/${id}`, { client_secret: secret });
  expect(back.data).toMatchObject({ has_client_secret: true, has_client_key: false });
  expect(await whoIs(name)).toBe('Bearer token-service-3');
  // Whoever opens it by headers again keeps no token.
  await send('PUT', `/${id}`, { auth: 'headers' });
  expect(await findOwnGrant(t.platform.database.db, id)).toBeNull();
});

test('the owner sees why signing in failed, others only that it failed, and no one the secret', async () => {
  const warned = spyOn(console, 'warn').mockImplementation(() => {});
  const { id, name } = await ready();
  await send('PUT', `/${id}`, { client_id: 'unknown-there', client_secret: secret });
  const tested = await administration(root).test(id);
  expect(tested.error).toContain(
    'the service could not sign in to it: its authorization server returned invalid_client',
  );
  const told = await whoIs(name).catch((error: { data: { text: string } }) => error.data.text);
  expect(told).toContain('the service could not sign in to it');
  expect(told).not.toContain('invalid_client');
  const { db } = t.platform.database;
  const rows = [];
  for (const table of ['mcp_servers', 'mcp_own_grants', 'audit_log'] as const)
    rows.push(
      await db
        .selectFrom(table as 'mcp_servers')
        .selectAll()
        .execute(),
    );
  for (const text of [JSON.stringify(tested), told, JSON.stringify(rows), JSON.stringify(warned.mock.calls)]) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(btoa(`unknown-there:${secret}`));
    expect(text).not.toContain('token-service');
  }
  warned.mockRestore();
});

test('an authorization server that refused the client is not asked again for a while, unless the client changes', async () => {
  const warned = spyOn(console, 'warn').mockImplementation(() => {});
  const { id, name } = await connect({ client_secret: 'wrong-secret' });
  const { test: look, allow } = administration(root);
  expect((await look(id)).error).toContain('invalid_client');
  const asked = server.asked.length;
  for (let times = 0; times < 3; times += 1) expect((await look(id)).error).toContain('invalid_client');
  expect(server.asked.length).toBe(asked);
  clock.advance(5_000);
  await look(id);
  expect(server.asked.length).toBeGreaterThan(asked);
  await send('PUT', `/${id}`, { client_secret: secret });
  await allow(id);
  expect(await whoIs(name)).toMatch(/^Bearer token-service-/);
  warned.mockRestore();
});

test("a client's secret is sent only to the authorization server it was first used with", async () => {
  const { id, name } = await ready();
  await whoIs(name);
  const other = startSignedIn();
  other.byHand = { app: secret };
  server.issuer = new URL(other.url).origin;
  clock.advance(3_600_000);
  expect((await administration(root).test(id)).error).toContain('not the one its client was used with');
  expect(other.asked).toEqual([]);
  // Whoever means it says so, by entering the secret again.
  await send('PUT', `/${id}`, { client_secret: secret });
  await administration(root).test(id);
  expect(other.asked).toHaveLength(1);
  other.stop();
});

test('rotating the encryption key re-encrypts key and token', async () => {
  const { db } = t.platform.database;
  const key = pair();
  server.keys = { signer: key.public };
  const { id } = await ready({ client_id: 'signer', client_secret: undefined, client_key: key.pem });
  const keys = [keyEntry(new Uint8Array(32).fill(9)), ...t.platform.sealingKeys];
  const { reseal, open } = openSealer({ keys });
  for (const room of [resealServers, resealOwnGrants]) {
    expect(await room(db, reseal)).toBeGreaterThan(0);
    expect(await room(db, reseal)).toBe(0);
  }
  const { sealedClientKey } = (await findServer(db, id))!;
  expect(JSON.parse(open(sealedClientKey))).toMatchObject({ kty: 'EC', crv: 'P-256' });
  expect(open((await findOwnGrant(db, id))!)).toContain('token-service-1');
  // Without that key it cannot be read here, which is told and not a crash.
  expect((await administration(root).test(id)).error).toContain('its client key cannot be decrypted');
});

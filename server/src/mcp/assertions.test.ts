import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { manualClock, nowSeconds } from '../lib/clock.ts';
import { newBinding } from './bound.fixture.ts';
import { administration } from './mcp.fixture.ts';
import { type SignedInServer, startSignedIn, tokenSeen } from './signed-in.fixture.ts';

/* Servers where the service trades in what its platform says of it. */

const clock = manualClock(Date.UTC(2026, 0, 15, 12));
const dir = mkdtempSync(join(tmpdir(), 'svc-assertions-'));
const base = '/api/mcp/servers';
let t: TestApp;
let root: Member;
let server: SignedInServer;
let origin: string;
let count = 0;

beforeAll(async () => {
  t = await openTestApp({ clock, env: { ALLOW_PRIVATE_WEBHOOKS: '1', MCP_ASSERTIONS_DIR: dir } });
  await t.setOption('RateLimitEnabled', false);
  root = await t.root();
});
beforeEach(() => {
  server?.stop();
  server = startSignedIn();
  origin = new URL(server.url).origin;
});
afterAll(async () => {
  server.stop();
  await t.close();
  rmSync(dir, { recursive: true });
});

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
/** As a platform writes it; the authorization server of the tests knows those that it takes by heart. */
function written(claims: object = {}, file = 'token'): string {
  const payload = { iss: 'https://platform.example', aud: origin, exp: nowSeconds(clock) + 600, ...claims };
  count += 1;
  const jwt = `${part({ alg: 'RS256' })}.${part({ ...payload, jti: count })}.c2lnbmVk`;
  writeFileSync(join(dir, file), `${jwt}\n`);
  server.assertions.add(jwt);
  return jwt;
}
const fields = (more: object = {}) => {
  count += 1;
  const own = { auth: 'jwt_bearer', assertion_file: 'token', audience: 'everyone' };
  return { name: `a${count}`, url: server.url, ...own, ...more };
};
async function send(body: object, by = root, method = 'POST', path = '') {
  const answer = await by.call(`${base}${path}`, { method, body });
  const { data, message } = (await answer.json()) as { data: { id: number; name: string }; message?: string };
  return { status: answer.status, data, message };
}
async function ready(more: object = {}) {
  const { data } = await send(fields(more));
  await administration(root).allow(data.id);
  return data;
}
const testOf = (id: number) => administration(root).test(id);

test("exchanges the platform's token, and reads the file again when a new token is needed", async () => {
  const first = written();
  const { id, name } = await ready();
  expect(await tokenSeen(t, name, root)).toBe('Bearer token-service-1');
  expect(Object.fromEntries(server.asked[0]!)).toEqual({
    ...{ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: first, resource: server.url },
  });
  clock.advance(3_600_000);
  // The platform has forgotten to write.
  expect((await testOf(id)).error).toContain('it has expired');
  const second = written();
  clock.advance(6_000);
  expect(await tokenSeen(t, name, root)).toBe('Bearer token-service-2');
  expect(server.asked[1]!.get('assertion')).toBe(second);
  const shown = await (await root.call(`${base}/${id}`)).text();
  expect(shown).toContain('"assertion_file":"token"');
  expect(shown).not.toContain(second);
});

test('sends the client if there is one, and requests a bound token if the server requires it', async () => {
  written({ aud: [`${origin}/token`, 'https://other.example'] });
  server.byHand = { app: 'a secret of its own' };
  server.binding = newBinding();
  server.challenge = 'DPoP realm="it"';
  const { name } = await ready({ client_id: 'app', client_secret: 'a secret of its own' });
  expect(await tokenSeen(t, name, root)).toBe('DPoP token-service-1');
  server.byHand = { public: '' };
  server.binding = null;
  server.challenge = null;
  const other = await ready({ client_id: 'public' });
  expect(await tokenSeen(t, other.name, root)).toStartWith('Bearer token-service-');
  expect(server.asked.at(-1)!.get('client_id')).toBe('public');
});

test('a refused platform token is not sent again and not shown to anyone', async () => {
  const jwt = written();
  server.assertions.clear();
  const { data } = await send(fields());
  const { error } = await testOf(data.id);
  expect(error).toContain('invalid_grant');
  expect(error).not.toContain(jwt);
  expect(server.asked).toHaveLength(1);
});

test.each<[string, () => unknown, string]>([
  ['expired', () => written({ exp: nowSeconds(clock) }), 'it has expired'],
  ['without an expiry', () => written({ exp: undefined }), 'it has expired'],
  ['for another audience', () => written({ aud: 'https://other.example' }), 'its audience is not'],
  ['without an audience', () => written({ aud: undefined }), 'its audience is not'],
  ['for a longer address', () => written({ aud: `${origin}.attacker.example` }), 'its audience is not'],
  ['not a JWT', () => writeFileSync(join(dir, 'token'), 'secret text'), 'it is not a signed JWT'],
  ['a JWT without claims', () => writeFileSync(join(dir, 'token'), `a.${part(null)}.b`), 'it has expired'],
  ['not JSON', () => writeFileSync(join(dir, 'token'), 'a.b.c'), 'it is not a signed JWT'],
  ['empty', () => writeFileSync(join(dir, 'token'), ''), 'it is not a signed JWT'],
  ['too large', () => written({ more: 'x'.repeat(20_000) }), 'more than 16384 bytes'],
  ['missing', () => rmSync(join(dir, 'token'), { force: true }), 'the file does not exist'],
])('a platform token that is %s is not sent', async (_, write, why) => {
  write();
  const { data } = await send(fields());
  const { ok, error } = await testOf(data.id);
  expect([ok, error]).toEqual([false, expect.stringContaining(why)]);
  expect(error).not.toContain('secret text');
  expect(server.asked).toEqual([]);
});

test('only the operator can name a file, and only within one directory', async () => {
  for (const assertion_file of ['../secret', '/etc/passwd', '.hidden', 'a/b', 'a\\b', 'a\0b', 'x'.repeat(101)])
    expect((await send(fields({ assertion_file }))).status).toBe(400);
  expect((await send(fields({ assertion_file: '' }))).message).toContain('is required');
  await t.setOption('McpUserServers', true);
  const user = await t.user();
  const { audience: _, ...own } = fields();
  expect(await send(own, user)).toMatchObject({ status: 400, message: expect.stringContaining('operator') });
  // Nor by an administrator for a server that is somebody's own.
  const theirs = await send({ name: 'theirs', url: server.url }, user);
  const change = { auth: 'jwt_bearer', assertion_file: 'token' };
  expect((await send(change, root, 'PUT', `/${theirs.data.id}`)).message).toContain('operator');
});

test('files cannot be used if no directory is configured', async () => {
  const other = await openTestApp({ clock, env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
  const { message } = await send(fields(), await other.root());
  expect(message).toContain('MCP_ASSERTIONS_DIR');
  await other.close();
});

import { afterAll, afterEach, beforeAll, beforeEach, expect, spyOn, test } from 'bun:test';
import { type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import { manualClock } from '../lib/clock.ts';
import { openSealer } from '../lib/seal.ts';
import { type Binding, newBinding } from './bound.fixture.ts';
import { readChallenge } from './challenge.ts';
import { administration } from './mcp.fixture.ts';
import { newKey, nonceIn, proofAlgorithm, proverOf, requireBound } from './proofs.ts';
import { type SignedInServer, startSignedIn, tokenSeen } from './signed-in.fixture.ts';
import { findGrant, replaceGrant } from './store/grants.ts';

/* Servers that take only tokens that are bound to a key. */

const clock = manualClock(Date.UTC(2026, 0, 15, 12));
let t: TestApp;
let root: Member;
let server: SignedInServer;
let binding: Binding;
let name = '';
let id = 0;
let count = 0;

beforeAll(async () => {
  t = await openTestApp({ clock, env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
  await t.setOption('RateLimitEnabled', false);
  root = await t.root();
});
afterAll(() => t.close());
beforeEach(() => {
  server = startSignedIn();
  binding = newBinding();
  server.binding = binding;
  server.challenge = `DPoP resource_metadata="${new URL(server.url).origin}/.well-known/oauth-protected-resource/mcp"`;
});
afterEach(() => server.stop());

async function connect(fields: object): Promise<void> {
  count += 1;
  name = `p${count}`;
  ({ id } = await administration(root).connect(name, server.url, fields));
}
/** Where the browser is sent at the end: with the server's name where the user is signed in. */
async function signIn(): Promise<string> {
  const began = await root.call(`/api/mcp/servers/${id}/authorize`, { method: 'POST' });
  const { data, message } = (await began.json()) as { data?: { authorization_url: string }; message?: string };
  if (!data) return message ?? '';
  const state = new URL(data.authorization_url).searchParams.get('state')!;
  const back = await root.call(`/api/mcp/authorized?${new URLSearchParams({ state, code: 'alice' })}`);
  return back.headers.get('location') ?? '';
}
async function signedIn(): Promise<void> {
  await connect({ auth: 'oauth' });
  expect(await signIn()).toEndWith(`signed_in=${name}`);
  await administration(root).allow(id);
}
const whoIs = (): Promise<string> => tokenSeen(t, name, root);

test("a user's token is bound to a key, proven with each request, and renewed with the same key", async () => {
  await signedIn();
  const before = binding.proofs.server;
  expect(await whoIs()).toBe('DPoP token-alice-1');
  expect(binding.proofs.server).toBeGreaterThan(before);
  const key = binding.keys.get('token-alice-1')!;
  clock.advance(3_600_000);
  expect(await whoIs()).toBe('DPoP token-alice-2');
  expect([binding.keys.get('token-alice-2'), server.asked[1]!.get('grant_type')]).toEqual([key, 'refresh_token']);
  // Who signs in again has another.
  expect(await signIn()).toEndWith(`signed_in=${name}`);
  expect(await whoIs()).toBe('DPoP token-alice-3');
  expect(binding.keys.get('token-alice-3')).not.toBe(key);
});

test('the previous token stays valid with its own key while a user signs in again', async () => {
  await signedIn();
  await root.call(`/api/mcp/servers/${id}/authorize`, { method: 'POST' });
  expect(await whoIs()).toBe('DPoP token-alice-1');
});

test('no key is stored in plain text or revealed', async () => {
  const warned = spyOn(console, 'warn');
  await signedIn();
  await whoIs();
  const { sealed } = (await findGrant(t.platform.database.db, id, root.id))!;
  const shown = await (await root.call(`/api/mcp/servers/${id}`)).text();
  for (const text of [sealed, shown, JSON.stringify(warned.mock.calls)]) {
    expect(text).not.toContain('"d":');
    expect(text).not.toContain('token-alice');
  }
  warned.mockRestore();
});

test("the service's own token is bound too", async () => {
  server.byHand = { app: 'a secret of its own' };
  await connect({ auth: 'client_credentials', client_id: 'app', client_secret: 'a secret of its own' });
  await administration(root).allow(id);
  expect(await whoIs()).toBe('DPoP token-service-1');
  clock.advance(3_600_000);
  expect(await whoIs()).toBe('DPoP token-service-2');
  // Taken back there: it is asked for anew, with a proof of the new one.
  clock.advance(11_000);
  server.valid.clear();
  expect(await whoIs()).toBe('DPoP token-service-3');
});

test('nonces of the server and the authorization server are used and remembered', async () => {
  binding.issuerNonce = () => 'issuer-1';
  binding.serverNonce = () => 'server-1';
  await signedIn();
  expect([server.asked.length, binding.proofs.issuer]).toEqual([2, 2]);
  await whoIs();
  const known = binding.proofs.server;
  const { client, requests } = await counted();
  expect(client).toBe('DPoP token-alice-2');
  expect(binding.proofs.server - known).toBe(requests);
  // Another one costs one more request.
  binding.serverNonce = () => 'server-2';
  const then = binding.proofs.server;
  const again = await counted();
  expect(again.client).toBe('DPoP token-alice-2');
  expect(binding.proofs.server - then).toBe(again.requests + 1);
});

/** One call, and how many requests reached the server behind by it. */
async function counted(): Promise<{ client: string; requests: number }> {
  const before = server.behind.heard.length;
  return { client: await whoIs(), requests: server.behind.heard.length - before };
}

test('an endless sequence of nonces is not followed forever', async () => {
  let times = 0;
  const another = () => {
    times += 1;
    return `another-${times}`;
  };
  await signedIn();
  await whoIs();
  binding.serverNonce = another;
  const before = binding.proofs.server;
  await expect(whoIs()).rejects.toThrow();
  expect(binding.proofs.server - before).toBeLessThanOrEqual(4);
  binding.serverNonce = () => null;
  binding.issuerNonce = another;
  const asked = server.asked.length;
  expect(await signIn()).toContain('not_signed_in');
  expect(server.asked.length - asked).toBeLessThanOrEqual(2);
});

test('a bearer token instead of a bound one is rejected, and the previous grant stays valid', async () => {
  await signedIn();
  binding.tokenType = 'Bearer';
  expect(await signIn()).toContain('not_signed_in');
  expect(await whoIs()).toBe('DPoP token-alice-1');
  server.binding = null;
  server.challenge = null;
  await connect({ auth: 'oauth' });
  server.binding = newBinding({ issuerTakes: null });
  expect(await signIn()).toContain('not_signed_in');
});

test('an authorization server without a supported algorithm is reported', async () => {
  binding.issuerTakes = ['HS256', 'none'];
  await connect({ auth: 'oauth' });
  expect(await signIn()).toContain('bound to a key');
  expect(server.asked).toEqual([]);
});

test('an invalid key is reported', async () => {
  await signedIn();
  const sealer = openSealer({ keys: t.platform.sealingKeys });
  const stored = (await findGrant(t.platform.database.db, id, root.id))!;
  const grant = JSON.parse(sealer.open(stored.sealed)) as object;
  await replaceGrant(
    t.platform.database.db,
    stored,
    sealer.seal(JSON.stringify({ ...grant, key: '{"alg":"ES256"}' })),
    1,
  );
  expect((await administration(root).test(id)).error).toContain('sign in to it again');
});

const discovered = (resource: object, issuer: object) => ({
  authorizationServerUrl: 'https://issuer.example',
  resourceMetadata: { resource: 'https://server.example', ...resource },
  authorizationServerMetadata: {
    ...{ issuer: 'https://issuer.example', response_types_supported: ['code'] },
    ...{ authorization_endpoint: 'https://issuer.example/a', token_endpoint: 'https://issuer.example/t', ...issuer },
  },
});
const takes = (...list: string[]) => ({ dpop_signing_alg_values_supported: list });

test("the server's requirement decides, with an algorithm that both support", () => {
  // Many authorization servers bind tokens for whoever asks.
  expect(proofAlgorithm({}, discovered({}, takes('ES256')))).toBeNull();
  expect(proofAlgorithm({}, undefined)).toBeNull();
  expect(proofAlgorithm({ proof: 'needed' }, discovered({}, takes('RS256', 'ES256')))).toBe('ES256');
  expect(proofAlgorithm({ proof: 'taken' }, discovered({}, takes('RS256')))).toBe('RS256');
  expect(proofAlgorithm({ proof: 'taken' }, discovered({}, {}))).toBeNull();
  expect(proofAlgorithm({ proof: 'taken' }, discovered({}, takes('none')))).toBeNull();
  expect(proofAlgorithm({ proof: 'needed' }, discovered({}, {}))).toBe('ES256');
  expect(proofAlgorithm({}, discovered(takes('EdDSA'), takes('ES256', 'EdDSA')))).toBe('EdDSA');
  expect(proofAlgorithm({}, discovered(takes('EdDSA'), takes('ES256')))).toBeNull();
  expect(proofAlgorithm({}, discovered({ dpop_bound_access_tokens_required: true }, takes('PS256')))).toBe('PS256');
  for (const list of [[], ['HS256'], 'ES256', null])
    expect(() =>
      proofAlgorithm({ proof: 'needed' }, discovered({}, { dpop_signing_alg_values_supported: list })),
    ).toThrow('bound to a key');
});

test.each(['ES256', 'EdDSA', 'ES384', 'ES512', 'PS256', 'RS256'] as const)('a key of %s signs', async (alg) => {
  const key = await newKey(alg);
  const prover = await proverOf(key);
  const proof = await prover.buildProof({ htm: 'POST', htu: 'https://a.example/b?c#d' });
  const [header, claims] = proof.split('.').map((part) => Buffer.from(part, 'base64url').toString());
  expect(JSON.parse(header!)).toMatchObject({ alg, typ: 'dpop+jwt' });
  expect(JSON.parse(header!).jwk).not.toHaveProperty('d');
  expect(JSON.parse(claims!)).toMatchObject({ htm: 'POST', htu: 'https://a.example/b' });
  expect(await proverOf(key)).toBe(prover);
});

test.each<[string, 'needed' | 'taken' | undefined]>([
  ['DPoP', 'needed'],
  ['dpop algs="ES256, RS256", error="use_dpop_nonce"', 'needed'],
  ['Bearer realm="it", DPoP algs="ES256"', 'taken'],
  ['DPoP algs="ES256",Bearer', 'taken'],
  ['Bearer realm="a, DPoP b"', undefined],
  ['Bearer dpop="1"', undefined],
  ['', undefined],
])('for the challenge %p the proof is %p', async (header, proof) => {
  expect((await readChallenge(header)).proof).toBe(proof);
});

test('the token type is compared case-insensitively', () => {
  requireBound({ token_type: 'dpop' }, 'key');
  requireBound({ token_type: 'bearer' }, undefined);
  expect(() => requireBound({ token_type: 'bearer' }, 'key')).toThrow('not bound');
  expect(() => requireBound({ token_type: 'DPOP' }, undefined)).toThrow('a different key');
});

test('invalid values are not used as a nonce', () => {
  expect(nonceIn({ 'dpop-nonce': 'abc.DEF-1' })).toBe('abc.DEF-1');
  for (const wrong of ['', 'a b', 'a"b', 'a\\b', 'x'.repeat(1_025)])
    expect(nonceIn({ 'dpop-nonce': wrong })).toBeUndefined();
  expect(nonceIn({})).toBeUndefined();
});

import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { jsonOf } from '../oauth.fixture.ts';
import { type OpenidTest, openOpenidTest } from '../openid/openid.fixture.ts';
import { documentServers } from '../registration/documents.fixture.ts';
import { newSigner, notLetIn, type Signer, signingSteps, wasLetIn } from './assertion.fixture.ts';

/* Clients that have their keys at an address: whoever answers there says by which keys they are known. */

let t: OpenidTest;
let signer: Signer;
let steps: ReturnType<typeof signingSteps>;
const { serve, stop } = documentServers();
beforeAll(async () => {
  t = await openOpenidTest({ env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
  steps = signingSteps(t);
  signer = await newSigner(t);
});
afterAll(() => t.close());
afterEach(stop);

const setOf = (...signers: Signer[]) => ({ keys: signers.map(({ jwk }) => jwk) });
const withSet = (of: unknown, headers: Record<string, string> = {}) => Response.json(of, { headers });
const clientAt = (jwks_uri: string) => t.client({ jwks_uri });
const describedBy = async (proof: Record<string, string>) =>
  (await jsonOf(steps.refresh('svcrt_none', proof))).error_description as string;

test('keys are fetched once and cached', async () => {
  const server = serve(() => withSet(setOf(signer)));
  const client = await clientAt(server.url);
  const answer = await steps.exchange(client, await t.code(client), await signer.signed(client));
  expect(answer.status).toBe(200);
  const many = await Promise.all(Array.from({ length: 10 }, async () => steps.letIn(await signer.signed(client))));
  expect(new Set(many.map(String))).toEqual(new Set([`${wasLetIn}`]));
  expect(server.asked).toBe(1);
  t.clock.advance(299_000);
  expect(await steps.letIn(await signer.signed(client))).toEqual(wasLetIn);
  expect(server.asked).toBe(1);
  t.clock.advance(2_000);
  expect(await steps.letIn(await signer.signed(client))).toEqual(wasLetIn);
  expect(server.asked).toBe(2);
});

test.each([
  ['no-store', 300],
  ['max-age=1', 300],
  ['max-age=1200', 1200],
  ['max-age=86400', 3600],
])('with %p keys are cached for %d seconds', async (control, seconds) => {
  const server = serve(() => withSet(setOf(signer), { 'cache-control': control }));
  const client = await clientAt(server.url);
  for (const [passes, asked] of [
    [0, 1],
    [seconds - 1, 1],
    [2, 2],
  ] as const) {
    t.clock.advance(passes * 1000);
    expect(await steps.letIn(await signer.signed(client))).toEqual(wasLetIn);
    expect(server.asked).toBe(asked);
  }
});

test('concurrent first requests share one fetch', async () => {
  const server = serve(async () => {
    await Bun.sleep(50);
    return withSet(setOf(signer));
  });
  const client = await clientAt(server.url);
  const proofs = await Promise.all(Array.from({ length: 10 }, () => signer.signed(client)));
  for (const answer of await Promise.all(proofs.map(steps.letIn))) expect(answer).toEqual(wasLetIn);
  expect(server.asked).toBe(1);
});

test('a new key is accepted as soon as it signs, and a removed key is rejected', async () => {
  const next = await newSigner(t);
  let published = setOf(signer);
  const server = serve(() => withSet(published, { 'cache-control': 'max-age=3600' }));
  const client = await clientAt(server.url);
  expect(await steps.letIn(await signer.signed(client))).toEqual(wasLetIn);
  published = setOf(next);
  t.clock.advance(30_000);
  expect(await steps.letIn(await next.signed(client))).toEqual(wasLetIn);
  expect(server.asked).toBe(2);
  expect(await steps.letIn(await signer.signed(client))).toEqual(notLetIn);
});

test('unknown key ids cause at most two fetches per minute', async () => {
  const server = serve(() => withSet(setOf(signer)));
  const client = await clientAt(server.url);
  for (let second = 0; second < 60; second += 1) {
    const proof = await signer.signed(client, { header: { kid: `k${second}` } });
    expect(await steps.letIn(proof)).toEqual(notLetIn);
    t.clock.advance(1_000);
  }
  expect(server.asked).toBe(2);
  expect(await steps.letIn(await signer.signed(client))).toEqual(wasLetIn);
});

type Broken = [what: string, says: string, answer: (url: string) => Response];
const json = { headers: { 'content-type': 'application/json' } };
const broken: Broken[] = [
  ['a redirect', 'redirects', (url) => new Response(null, { status: 302, headers: { location: `${url}?good` } })],
  ['status 404', 'status 404', () => new Response('{}', { status: 404, ...json })],
  ['a megabyte', '64 KiB', () => withSet({ ...setOf(signer), more: 'x'.repeat(1024 * 1024) })],
  ['HTML', 'not JSON', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
  ['HTML declared as JSON', 'not a JSON object', () => new Response('<html>', json)],
  ['a list', 'not a JSON object', () => withSet([signer.jwk])],
  ['no keys', 'a key for signatures', () => withSet({ keys: [] })],
  ['no list of keys', 'JSON Web Key Set', () => withSet({ keys: signer.jwk })],
  ['a private key', 'public keys only', () => withSet({ keys: [signer.jwk, signer.privateJwk] })],
  ['a secret', 'public keys only', () => withSet({ keys: [{ kty: 'oct', k: 'AAAA' }] })],
  ['too many keys', 'at most 20', () => withSet({ keys: Array.from({ length: 21 }, () => signer.jwk) })],
];

test.each(broken)('an address with %s is rejected, and not fetched again immediately', async (_, says, answer) => {
  let works = false;
  const server = serve((url) => (works ? withSet(setOf(signer)) : answer(url)));
  const client = await clientAt(server.url);
  const code = await t.code(client);
  for (let times = 0; times < 2; times += 1) {
    const refused = await steps.exchange(client, code, await signer.signed(client));
    const { error, error_description } = await jsonOf(refused);
    expect([refused.status, error, error_description]).toEqual([...notLetIn, expect.stringContaining(says)]);
  }
  expect(server.asked).toBe(1);
  // Nothing was used up by it.
  works = true;
  t.clock.advance(60_000);
  expect((await steps.exchange(client, code, await signer.signed(client))).status).toBe(200);
});

test('an address that does not answer times out', async () => {
  const server = serve(async () => {
    await Bun.sleep(60_000);
    return new Response();
  });
  const client = await clientAt(server.url);
  expect(await describedBy(await signer.signed(client))).toContain('did not load within');
});

test('if the address fails later, the previous keys stay valid for an hour', async () => {
  let works = true;
  const server = serve(() => (works ? withSet(setOf(signer)) : new Response('down', { status: 503 })));
  const client = await clientAt(server.url);
  expect(await steps.letIn(await signer.signed(client))).toEqual(wasLetIn);
  works = false;
  t.clock.advance(3_599_000);
  expect(await steps.letIn(await signer.signed(client))).toEqual(wasLetIn);
  expect(server.asked).toBe(2);
  t.clock.advance(2_000);
  expect(await steps.letIn(await signer.signed(client))).toEqual(notLetIn);
});

test('fetches per host are limited', async () => {
  const server = serve(() => withSet(setOf(signer)));
  const statuses: number[] = [];
  for (let n = 0; n < 12; n += 1) {
    const client = await clientAt(`${server.url}?${n}`);
    statuses.push((await steps.letIn(await signer.signed(client)))[0]);
  }
  expect(new Set(statuses)).toEqual(new Set([wasLetIn[0], 429]));
  expect(server.asked).toBe(10);
});

test('private addresses are not fetched unless allowed', async () => {
  const strict = await openOpenidTest();
  const own = await newSigner(strict);
  const server = serve(() => withSet(setOf(signer)));
  const { port } = new URL(server.url);
  const named = ['127.0.0.1', 'localhost', '[::1]', '169.254.169.254', '10.0.0.1', '0x7f.1'];
  for (const jwks_uri of [server.url, ...named.map((host) => `https://${host}:${port}/keys`)]) {
    const client = await strict.client({ jwks_uri });
    const answer = await signingSteps(strict).refresh('svcrt_none', await own.signed(client));
    const { error, error_description } = await jsonOf(answer);
    expect([answer.status, error, error_description]).toEqual([...notLetIn, expect.stringContaining('is not allowed')]);
  }
  expect(server.asked).toBe(0);
  await strict.close();
});

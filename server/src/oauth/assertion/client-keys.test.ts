import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
import { jsonOf, newVerifier, type TestClient } from '../oauth.fixture.ts';
import { type OpenidTest, openOpenidTest } from '../openid/openid.fixture.ts';
import { s256 } from '../pkce.ts';
import { type DocumentServer, documentOf, documentServers } from '../registration/documents.fixture.ts';
import { newSigner, notLetIn, type Signer, signingSteps, wasLetIn } from './assertion.fixture.ts';

/* Where a client's keys come from: its owner, its own registration, or its document. */

let t: OpenidTest;
let signer: Signer;
let next: Signer;
let steps: ReturnType<typeof signingSteps>;
const { serve, stop } = documentServers();
beforeAll(async () => {
  t = await openOpenidTest({ env: { ALLOW_PRIVATE_WEBHOOKS: '1' } });
  await t.setOption('OAuth2DynamicRegistration', true);
  steps = signingSteps(t);
  [signer, next] = [await newSigner(t), await newSigner(t, 'Ed25519')];
});
afterAll(() => t.close());
afterEach(stop);

const setOf = (...signers: Signer[]) => ({ keys: signers.map(({ jwk }) => jwk) });
const weak = () => generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });

/** Sets that cannot be taken, wherever they come from, and what is said of them. */
const refusedSets: Record<string, [says: string, set: () => unknown]> = {
  'a value that is not an object': ['object', () => 'keys'],
  'no keys': ['a key for signatures', () => ({ keys: [] })],
  'no list of keys': ['JSON Web Key Set', () => ({})],
  'a private key': ['public keys only', () => ({ keys: [signer.privateJwk] })],
  'a private key among others': ['public keys only', () => ({ keys: [next.jwk, signer.privateJwk] })],
  'a secret': ['public keys only', () => ({ keys: [next.jwk, { kty: 'oct', k: 'AAAA' }] })],
  'a weak key': ['a key for signatures', () => ({ keys: [weak()] })],
  'an invalid point': ['a key for signatures', () => ({ keys: [{ ...signer.jwk, y: signer.jwk.x }] })],
  'a key for encryption': ['a key for signatures', () => ({ keys: [{ ...signer.jwk, use: 'enc' }] })],
  'a key that may not verify': ['a key for signatures', () => ({ keys: [{ ...signer.jwk, key_ops: ['sign'] }] })],
  'a key of another algorithm': ['a key for signatures', () => ({ keys: [{ ...signer.jwk, alg: 'ES384' }] })],
  'too many keys': ['at most 20', () => ({ keys: Array.from({ length: 21 }, () => signer.jwk) })],
};
test.each([
  ['PS256', 'RS256'],
  ['RS256', 'PS256'],
  ['RS256', 'RS512'],
  ['PS512', 'PS384'],
])('a key declared for %s verifies nothing with %s', async (said, used) => {
  const own = await newSigner(t, used);
  const letIn = async (alg: string | undefined) => {
    const client = await t.client({ jwks: { keys: [{ ...own.jwk, ...(alg && { alg }) }] } });
    return steps.letIn(await own.signed(client));
  };
  expect(await letIn(said)).toEqual(notLetIn);
  for (const alg of [used, undefined]) expect(await letIn(alg)).toEqual(wasLetIn);
});

const refusedAddresses = ['http://client.example/keys', 'ftp://client.example/keys', 'keys', 'https://a:b@c.example/'];

describe('the owner of an application', () => {
  const path = (client: TestClient) => `/api/oauth2/applications/${client.id}`;
  const change = (client: TestClient, body: unknown) => t.owner.call(path(client), { method: 'PUT', body });
  const changed = async (client: TestClient, body: unknown) => (await jsonOf(change(client, body))).data;
  const refusal = async (client: TestClient, body: unknown) => {
    const answer = await change(client, body);
    expect(answer.status).toBe(400);
    return (await jsonOf(answer)).message;
  };

  test('sets keys, a key address, or a secret, each replacing the other', async () => {
    const client = await t.client();
    const asked = { client_id: client.clientId, client_secret: client.secret };
    expect(await steps.letIn(asked)).toEqual(wasLetIn);
    const signing = { token_endpoint_auth_method: 'private_key_jwt' };
    expect(await changed(client, { jwks: setOf(signer) })).toMatchObject({ ...signing, jwks: setOf(signer) });
    expect(await steps.letIn(asked)).toEqual(notLetIn);
    expect(await steps.letIn(await signer.signed(client))).toEqual(wasLetIn);
    const rotate = () => t.owner.call(`${path(client)}/rotate-secret`, { method: 'POST' });
    expect((await rotate()).status).toBe(400);
    // Another change leaves them.
    expect((await changed(client, { name: 'Renamed' })).jwks).toEqual(setOf(signer));
    expect((await changed(client, { jwks: setOf(next) })).jwks).toEqual(setOf(next));
    expect(await steps.letIn(await signer.signed(client))).toEqual(notLetIn);
    const server = serve(() => Response.json(setOf(signer)));
    const moved = { ...signing, jwks: null, jwks_uri: server.url };
    expect(await changed(client, { jwks_uri: server.url })).toMatchObject(moved);
    expect(await steps.letIn(await signer.signed(client))).toEqual(wasLetIn);
    expect(await steps.letIn(await next.signed(client))).toEqual(notLetIn);
    const plain = { token_endpoint_auth_method: 'client_secret_basic', jwks: null, jwks_uri: '' };
    expect(await changed(client, { jwks: null, jwks_uri: '' })).toMatchObject(plain);
    expect(await steps.letIn(await signer.signed(client))).toEqual(notLetIn);
    // The secret of before does not come back.
    expect(await steps.letIn(asked)).toEqual(notLetIn);
    const { client_secret_plain } = (await jsonOf(rotate())).data;
    expect(await steps.letIn({ ...asked, client_secret: client_secret_plain })).toEqual(wasLetIn);
  });

  test('cannot set both, or keys of a public client; becoming public removes them', async () => {
    const client = await t.client({ jwks: setOf(signer) });
    const both = { jwks: setOf(signer), jwks_uri: 'https://client.example/keys' };
    expect(await refusal(client, both)).toContain('not both');
    const open = await t.client({ app_type: 'public' });
    expect(await refusal(open, { jwks: setOf(signer) })).toContain('public client');
    expect(await changed(client, { app_type: 'public' })).toMatchObject({
      ...{ token_endpoint_auth_method: 'none', jwks: null },
    });
    expect(await changed(client, { app_type: 'confidential' })).toMatchObject({ jwks: null });
    expect(await steps.letIn(await signer.signed(client))).toEqual(notLetIn);
  });

  test.each(Object.keys(refusedSets))('gets an error for a key set with %s', async (name) => {
    const [says, set] = refusedSets[name]!;
    const client = await t.client();
    expect(await refusal(client, { jwks: set() })).toContain(says);
    expect(await steps.letIn({ client_id: client.clientId, client_secret: client.secret })).toEqual(wasLetIn);
  });

  test.each(refusedAddresses)('gets an error for the address %s', async (jwks_uri) => {
    expect(await refusal(await t.client(), { jwks_uri })).toContain('address');
  });

  test('may include keys for other purposes, which are not stored', async () => {
    const encryption = { ...signer.jwk, kid: 'enc', use: 'enc' };
    const named = { ...signer.jwk, use: 'sig', key_ops: ['verify'], alg: 'ES256', x5c: ['certificate'] };
    const client = await t.client({ jwks: { keys: [encryption, named], more: 1 } });
    const { data } = await jsonOf(t.owner.call(path(client)));
    expect(data.jwks).toEqual({ keys: [{ ...signer.jwk, alg: 'ES256' }] });
    expect(await steps.letIn(await signer.signed(client))).toEqual(wasLetIn);
  });

  test('keeps the verification when keys change, but not when the method changes; the audit log names the keys', async () => {
    const client = await t.client();
    await t.act('verify', client.id);
    expect((await changed(client, { jwks: setOf(signer) })).is_verified).toBe(false);
    await t.act('verify', client.id);
    expect((await changed(client, { jwks: setOf(next) })).is_verified).toBe(true);
    const { data } = await jsonOf((await t.root()).call(`/api/admin/audit?action=app_updated&target=${client.id}`));
    const [latest] = data.logs;
    expect(latest.before).toEqual({ jwks: [expect.stringContaining(signer.jwk.kid!)] });
    expect(latest.after).toEqual({ jwks: [expect.stringContaining(next.jwk.kid!)] });
  });

  test('gets the keys in the account export', async () => {
    const by = await t.user();
    await t.client({ jwks: setOf(signer) }, by);
    const text = await (await by.call('/api/user/self/export')).text();
    expect(text).toContain(signer.jwk.x!);
  });
});

describe('a self-registered client', () => {
  const endpoint = '/api/oauth2/register';
  const redirect_uris = ['https://self.example/callback'];
  const method = { token_endpoint_auth_method: 'private_key_jwt' };
  const register = (fields: Record<string, unknown>) =>
    t.call(endpoint, { method: 'POST', body: { redirect_uris, ...method, ...fields } });
  const asClient = ({ client_id }: Record<string, string>) => ({ clientId: client_id! });

  test('signs with its keys, changes them, and switches to a secret', async () => {
    const answer = await register({ jwks: setOf(signer) });
    const made = await jsonOf(answer);
    expect([answer.status, { ...made }]).toEqual([201, expect.objectContaining({ ...method, jwks: setOf(signer) })]);
    expect(made).not.toHaveProperty('client_secret');
    expect(await steps.letIn(await signer.signed(asClient(made)))).toEqual(wasLetIn);
    const own = { headers: { authorization: `Bearer ${made.registration_access_token}` } };
    const place = `${endpoint}/${made.client_id}`;
    expect(await jsonOf(t.call(place, own))).toMatchObject({ ...method, jwks: setOf(signer) });
    const put = (fields: Record<string, unknown>) =>
      jsonOf(t.call(place, { ...own, method: 'PUT', body: { client_id: made.client_id, redirect_uris, ...fields } }));
    expect(await put({ ...method, jwks: setOf(next) })).toMatchObject({ jwks: setOf(next) });
    expect(await steps.letIn(await signer.signed(asClient(made)))).toEqual(notLetIn);
    expect(await steps.letIn(await next.signed(asClient(made)))).toEqual(wasLetIn);
    const closed = await put({});
    expect(closed.token_endpoint_auth_method).toBe('client_secret_basic');
    expect(closed).not.toHaveProperty('jwks');
    expect(await steps.letIn(await next.signed(asClient(made)))).toEqual(notLetIn);
    const { client_id, client_secret } = closed;
    expect(await steps.letIn({ client_id, client_secret })).toEqual(wasLetIn);
    expect(await put({ ...method, jwks: setOf(next) })).not.toHaveProperty('client_secret');
    expect(await steps.letIn({ client_id, client_secret })).toEqual(notLetIn);
  });

  test('registers a key address', async () => {
    const server = serve(() => Response.json(setOf(signer)));
    const made = await jsonOf(register({ jwks_uri: server.url }));
    expect(made.jwks_uri).toBe(server.url);
    expect(await steps.letIn(await signer.signed(asClient(made)))).toEqual(wasLetIn);
  });

  const refused = async (fields: Record<string, unknown>) => {
    const answer = await register(fields);
    const { error, error_description } = await jsonOf(answer);
    expect([answer.status, error]).toEqual([400, 'invalid_client_metadata']);
    return error_description;
  };
  test.each(Object.keys(refusedSets))('gets an error for a key set with %s', async (name) => {
    const [says, set] = refusedSets[name]!;
    expect(await refused({ jwks: set() })).toContain(says);
  });
  test.each(refusedAddresses)('gets an error for the address %s', async (jwks_uri) => {
    expect(await refused({ jwks_uri })).toContain('jwks_uri');
  });
  test('must register keys or their address, and no private key, for any method', async () => {
    expect(await refused({})).toContain('jwks');
    expect(await refused({ jwks: setOf(signer), jwks_uri: 'https://client.example/keys' })).toContain('jwks');
    const none = { token_endpoint_auth_method: 'none' };
    expect(await refused({ ...none, jwks: { keys: [signer.privateJwk] } })).toContain('public keys only');
    // Of other keys it may have as it likes.
    const open = await jsonOf(register({ ...none, jwks: { keys: [{ kty: 'EC', crv: 'P-521' }] } }));
    expect(open.token_endpoint_auth_method).toBe('none');
    expect(open).not.toHaveProperty('jwks');
  });
});

describe('a client with a metadata document', () => {
  const fieldsOf = (fields: Record<string, unknown>) => (url: string) =>
    Response.json(documentOf(url, { token_endpoint_auth_method: 'private_key_jwt', ...fields }));
  const signIn = async ({ client }: DocumentServer, by: Signer) => {
    const verifier = newVerifier();
    const challenge = { code_challenge: s256(verifier), code_challenge_method: 'S256' };
    const code = await t.code(client, challenge);
    return steps.exchange(client, code, { ...(await by.signed(client)), code_verifier: verifier });
  };

  test('signs with the keys in it, and its client id alone is not enough', async () => {
    const server = serve(fieldsOf({ jwks: setOf(signer) }));
    const answer = await signIn(server, signer);
    expect(answer.status).toBe(200);
    const { refresh_token } = await jsonOf(answer);
    const { clientId } = server.client;
    expect(await steps.letIn({ client_id: clientId })).toEqual(notLetIn);
    expect(await steps.letIn(await next.signed(server.client))).toEqual(notLetIn);
    expect((await steps.refresh(refresh_token, await signer.signed(server.client))).status).toBe(200);
    expect(server.asked).toBe(1);
  });

  test('signs with the keys at the address in it', async () => {
    const keys = serve(() => Response.json(setOf(signer)));
    const server = serve(fieldsOf({ jwks_uri: keys.url }));
    expect((await signIn(server, signer)).status).toBe(200);
    expect([server.asked, keys.asked]).toEqual([1, 1]);
  });

  test('can start with a signed pushed request or device code', async () => {
    for (const path of ['/api/oauth2/par', '/api/oauth2/device_authorization']) {
      const server = serve(fieldsOf({ jwks: setOf(signer) }));
      const request = { response_type: 'code', redirect_uri: server.client.redirectUri, scope: 'openid' };
      const ask = async (proof: Record<string, string>) => (await t.post(path, { ...request, ...proof })).status;
      expect(await ask(await next.signed(server.client))).toBe(401);
      expect(await ask({ client_id: server.url })).toBe(401);
      expect(await ask(await signer.signed(server.client))).toBe(path.endsWith('par') ? 201 : 200);
      expect(server.asked).toBe(1);
    }
  });

  test('is verified with new keys once the document lists them, also when only refreshing', async () => {
    let published = setOf(signer);
    const server = serve((url) => fieldsOf({ jwks: published })(url));
    const { refresh_token } = await jsonOf(signIn(server, signer));
    published = setOf(next);
    t.clock.advance(301_000);
    const stolen = await steps.refresh(refresh_token, await signer.signed(server.client));
    expect(stolen.status).toBe(401);
    expect((await steps.refresh(refresh_token, await next.signed(server.client))).status).toBe(200);
  });
});

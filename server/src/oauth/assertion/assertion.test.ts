import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sign } from 'node:crypto';
import { openTestApp } from '../../app.fixture.ts';
import { randomString } from '../../lib/ids.ts';
import { openLog } from '../../platform/log.ts';
import { proofAlgorithms } from '../dpop/key.ts';
import { basic, faultOf, jsonOf, openOAuthTest, type TestClient } from '../oauth.fixture.ts';
import { type OpenidTest, openOpenidTest } from '../openid/openid.fixture.ts';
import { openSweep } from '../sweep.ts';
import {
  type AssertionChanges,
  jwtBearer,
  newSigner,
  notLetIn,
  parametersOf,
  type Signer,
  signingSteps,
  wasLetIn,
} from './assertion.fixture.ts';

/* Clients that prove themselves by what they sign (`private_key_jwt`), and what must not pass for it. */

const tokenPath = '/api/oauth2/token';
let t: OpenidTest;
let client: TestClient;
let signer: Signer;
let other: Signer;
let steps: ReturnType<typeof signingSteps>;
beforeAll(async () => {
  t = await openOpenidTest();
  steps = signingSteps(t);
  [signer, other] = [await newSigner(t), await newSigner(t)];
  client = await t.client({ jwks: { keys: [signer.jwk] } });
  await t.client({ jwks: { keys: [other.jwk] } });
});
afterAll(() => t.close());

const now = () => Math.floor(t.clock.nowMs() / 1000);
const signed = (changes?: AssertionChanges) => signer.signed(client, changes);

test.each(proofAlgorithms)('a client authenticates with a key of type %s: code, refresh', async (alg) => {
  const own = await newSigner(t, alg);
  const its = await t.client({ jwks: { keys: [own.jwk] } });
  expect(its.secret).toBe('');
  const answer = await steps.exchange(its, await t.code(its), await own.signed(its));
  const tokens = await jsonOf(answer);
  expect([answer.status, tokens.token_type]).toEqual([200, 'Bearer']);
  const next = await jsonOf(steps.refresh(tokens.refresh_token, await own.signed(its)));
  expect((await t.userinfo(next.access_token)).status).toBe(200);
});

describe('the audience of an assertion', () => {
  const parPath = '/api/oauth2/par';
  const at = (path: string) => `${t.config.baseUrl}${path}`;
  test('may be the issuer, the token endpoint or the called endpoint', async () => {
    for (const aud of [t.config.baseUrl, [t.config.baseUrl], at(tokenPath), [t.config.baseUrl, at(tokenPath)]])
      expect(await steps.letIn(await signed({ claims: { aud } }))).toEqual(wasLetIn);
    const push = async (aud: string) =>
      t.post(parPath, {
        ...{ response_type: 'code', redirect_uri: client.redirectUri, client_id: client.clientId },
        ...(await signed({ claims: { aud } })),
      });
    for (const aud of [t.config.baseUrl, at(tokenPath), at(parPath)]) expect((await push(aud)).status).toBe(201);
    expect(await faultOf(push(at('/api/oauth2/revoke')))).toEqual(notLetIn);
  });
});

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const claims = () => ({
  ...{ iss: client.clientId, sub: client.clientId, aud: t.config.baseUrl },
  ...{ iat: now(), exp: now() + 60, jti: randomString(20) },
});
const unsigned = (header: Record<string, unknown>) => `${encoded(header)}.${encoded(claims())}`;
/** With what the library does not sign. */
function byHand(header: Record<string, unknown>): string {
  const text = unsigned({ alg: 'ES256', kid: signer.jwk.kid, ...header });
  const key = { key: signer.privateJwk, format: 'jwk', dsaEncoding: 'ieee-p1363' } as const;
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}

/** Each makes an assertion that must not count, and names what its answer says of it. */
const wrong: Record<string, [says: string, make: () => Promise<string>]> = {
  'another server': ['aud', () => signer.assertion(client, { claims: { aud: 'https://other.example' } })],
  'another server beside us': [
    'no other server',
    () => signer.assertion(client, { claims: { aud: [t.config.baseUrl, 'https://other.example'] } }),
  ],
  'another endpoint': [
    'aud',
    () => signer.assertion(client, { claims: { aud: `${t.config.baseUrl}/api/oauth2/introspect` } }),
  ],
  'no audience': ['aud', () => signer.assertion(client, { claims: { aud: undefined } })],
  'an empty audience': ['aud', () => signer.assertion(client, { claims: { aud: [] } })],
  'another iss': ['iss', () => signer.assertion(client, { claims: { iss: 'svc_other' } })],
  'another sub': ['sub', () => signer.assertion(client, { claims: { sub: 'svc_other' } })],
  'no iss': ['iss', () => signer.assertion(client, { claims: { iss: undefined } })],
  'no name': ['iss', () => signer.assertion(client, { claims: { iss: undefined, sub: undefined } })],
  'an invalid character in the name': ['iss', () => signer.assertion({ clientId: 'a\0b' })],
  'an unknown client': ['registered', () => signer.assertion({ clientId: `svc_${'x'.repeat(32)}` })],
  'an exp in the past': ['expired', () => signer.assertion(client, { claims: { exp: now() - 1 } })],
  'an exp of this second': ['expired', () => signer.assertion(client, { claims: { exp: now() } })],
  'an exp too far in the future': ['within 3600', () => signer.assertion(client, { claims: { exp: now() + 7200 } })],
  'an exp in an hour and no iat': [
    'within 600',
    () => signer.assertion(client, { claims: { iat: undefined, exp: now() + 3600 } }),
  ],
  'an exp beyond the number range': ['within 3600', () => signer.assertion(client, { claims: { exp: 1e300 } })],
  'no exp': ['exp', () => signer.assertion(client, { claims: { exp: undefined } })],
  'an exp as text': ['exp', () => signer.assertion(client, { claims: { exp: `${now() + 60}` } })],
  'an nbf in the future': ['not valid yet', () => signer.assertion(client, { claims: { nbf: now() + 60 } })],
  'an nbf as text': ['not valid yet', () => signer.assertion(client, { claims: { nbf: 'now' } })],
  'an iat in the future': ['in the future', () => signer.assertion(client, { claims: { iat: now() + 60 } })],
  'an old iat': ['too old', () => signer.assertion(client, { claims: { iat: now() - 3600 } })],
  'no jti': ['jti', () => signer.assertion(client, { claims: { jti: undefined } })],
  'an empty jti': ['jti', () => signer.assertion(client, { claims: { jti: '' } })],
  'a long jti': ['jti', () => signer.assertion(client, { claims: { jti: 'x'.repeat(257) } })],
  'a number as jti': ['jti', () => signer.assertion(client, { claims: { jti: 1 } })],
  'another client’s key': ['not signed', () => other.assertion(client)],
  'another client’s key with our kid': ['not signed', () => signer.assertion(client, { key: other.privateKey })],
  'another client’s key and no kid': [
    'not signed with any',
    () => signer.assertion(client, { key: other.privateKey, header: { kid: undefined } }),
  ],
  'an unknown kid': ['not signed', () => signer.assertion(client, { header: { kid: 'nothing' } })],
  'a key in its header': [
    'not signed',
    () => signer.assertion(client, { key: other.privateKey, header: { kid: 'own', jwk: other.jwk } }),
  ],
  'the public key as a secret': [
    'ES256',
    () =>
      signer.assertion(client, {
        header: { alg: 'HS256' },
        key: new TextEncoder().encode(JSON.stringify(signer.jwk)),
      }),
  ],
  'no signature': ['signed JWT', async () => `${unsigned({ alg: 'none' })}.`],
  'an invalid signature and alg none': ['signed with', async () => `${unsigned({ alg: 'none' })}.AAAA`],
  'another algorithm by name': [
    'not signed',
    async () => {
      const [, payload, signature] = (await signer.assertion(client)).split('.');
      return `${encoded({ alg: 'RS256', kid: signer.jwk.kid })}.${payload}.${signature}`;
    },
  ],
  'changed claims': [
    'not signed',
    async () => {
      const [head, , signature] = (await signer.assertion(client)).split('.');
      return `${head}.${encoded(claims())}.${signature}`;
    },
  ],
  'a critical header': ['crit', async () => byHand({ crit: ['b64'], b64: true })],
  'an unknown critical header': ['crit', async () => byHand({ crit: ['more'], more: 1 })],
  'the type of a DPoP proof': ['typ', () => signer.assertion(client, { header: { typ: 'dpop+jwt' } })],
  'the type of an access token': ['typ', () => signer.assertion(client, { header: { typ: 'at+jwt' } })],
  'a number as type': ['typ', () => signer.assertion(client, { header: { typ: 1 } })],
  'a number as kid': ['kid', async () => byHand({ kid: 1 })],
  'a list as claims': [
    'signed JWT',
    async () => {
      const [head, , signature] = (await signer.assertion(client)).split('.');
      return `${head}.${encoded([])}.${signature}`;
    },
  ],
  'an oversized token': ['signed JWT', () => signer.assertion(client, { claims: { more: 'x'.repeat(9000) } })],
  'a value that is not a JWT': ['signed JWT', async () => 'assertion'],
};

describe('an assertion is rejected with', () => {
  test.each(Object.keys(wrong))('%s', async (name) => {
    const [says, make] = wrong[name]!;
    const code = await t.code(client);
    const refused = await steps.exchange(client, code, parametersOf(await make()));
    expect(refused.headers.get('www-authenticate')).toStartWith('Basic');
    const body = await jsonOf(refused);
    expect([refused.status, body.error, body.error_description]).toEqual([...notLetIn, expect.stringContaining(says)]);
    // It has cost nothing.
    expect((await steps.exchange(client, code, await signed())).status).toBe(200);
  });
});

test('a valid assertion signed by hand is accepted', async () => {
  for (const header of [{}, { typ: 'JWT' }, { typ: 'client-authentication+jwt' }])
    expect(await steps.letIn(parametersOf(byHand(header)))).toEqual(wasLetIn);
});

test('clocks may be half a minute ahead', async () => {
  for (const [iat, longest] of [
    [now() + 30, 3600],
    [undefined, 600],
  ] as const) {
    const ahead = { iat, nbf: now() + 30, exp: now() + longest + 30 };
    expect(await steps.letIn(await signed({ claims: ahead }))).toEqual(wasLetIn);
    expect(await steps.letIn(await signed({ claims: { ...ahead, exp: ahead.exp + 1 } }))).toEqual(notLetIn);
  }
});

test('an assertion valid for an hour is accepted for ten minutes, and once', async () => {
  const proof = await signed({ claims: { exp: now() + 3600 } });
  const later = await signed({ claims: { exp: now() + 3600 } });
  expect(await steps.letIn(proof)).toEqual(wasLetIn);
  t.clock.advance(629_000);
  await openSweep({ db: t.platform.database.db, clock: t.clock })();
  expect(await steps.letIn(proof)).toEqual(notLetIn);
  expect(await steps.letIn(later)).toEqual(wasLetIn);
  t.clock.advance(2_000);
  expect(await steps.letIn(later)).toEqual(notLetIn);
});

test('an assertion works once, also under concurrency; another client may use the same jti', async () => {
  const proof = await signed({ claims: { jti: 'the same' } });
  const answers = await Promise.all(Array.from({ length: 30 }, () => steps.letIn(proof)));
  expect(answers.filter(([status]) => status === wasLetIn[0])).toHaveLength(1);
  expect(answers.filter(([status]) => status === notLetIn[0])).toHaveLength(29);
  const again = await steps.refresh('svcrt_none', await signed({ claims: { jti: 'the same' } }));
  expect((await jsonOf(again)).error_description).toContain('used before');
  const own = await newSigner(t);
  const its = await t.client({ jwks: { keys: [own.jwk] } });
  expect(await steps.letIn(await own.signed(its, { claims: { jti: 'the same' } }))).toEqual(wasLetIn);
  // What nobody signed uses up no name.
  const forged = await signed({ claims: { jti: 'not yet' }, key: other.privateKey });
  expect(await steps.letIn(forged)).toEqual(notLetIn);
  expect(await steps.letIn(await signed({ claims: { jti: 'not yet' } }))).toEqual(wasLetIn);
});

test('two authentication methods, an incomplete one, and another client’s id are rejected', async () => {
  const refresh = async (fields: Record<string, string>, headers = {}) =>
    faultOf(t.post(tokenPath, { grant_type: 'refresh_token', refresh_token: 'svcrt_none', ...fields }, headers));
  const invalid: [number, unknown] = [400, 'invalid_request'];
  const withSecret = await t.client();
  expect(await refresh({ ...(await signed()), client_secret: 'x' })).toEqual(invalid);
  expect(await refresh(await signed(), { authorization: basic(withSecret) })).toEqual(invalid);
  expect(await refresh({ ...(await signed()), client_id: withSecret.clientId })).toEqual(invalid);
  expect(await refresh({ client_assertion_type: jwtBearer, client_id: client.clientId })).toEqual(invalid);
  const { client_assertion } = await signed();
  expect(await refresh({ client_assertion: client_assertion! })).toEqual(invalid);
  const saml = 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer';
  expect(await refresh({ client_assertion: client_assertion!, client_assertion_type: saml })).toEqual(notLetIn);
  // None of them used it up.
  expect(await refresh({ ...parametersOf(client_assertion!), client_id: client.clientId })).toEqual(wasLetIn);
});

test('a client has one authentication method: keys or a secret, and never its id alone', async () => {
  const withSecret = await t.client();
  expect(await steps.letIn(await signer.signed(withSecret))).toEqual(notLetIn);
  expect(await steps.letIn({ client_id: client.clientId })).toEqual(notLetIn);
  for (const client_secret of ['x', withSecret.secret])
    expect(await steps.letIn({ client_id: client.clientId, client_secret })).toEqual(notLetIn);
  const open = await t.client({ app_type: 'public' });
  expect(await steps.letIn(await signer.signed(open))).toEqual(notLetIn);
});

test('assertions are accepted at introspection, revocation and device authorization', async () => {
  const tokens = await jsonOf(steps.exchange(client, await t.code(client), await signed()));
  const token = tokens.access_token as string;
  const introspect = async (proof: Record<string, string>) => t.post('/api/oauth2/introspect', { token, ...proof });
  expect(await jsonOf(introspect(await signed()))).toMatchObject({ active: true, client_id: client.clientId });
  expect(await faultOf(introspect({ client_id: client.clientId }))).toEqual(notLetIn);
  expect(await faultOf(introspect(await other.signed(client)))).toEqual(notLetIn);
  const started = await t.post('/api/oauth2/device_authorization', await signed());
  const { device_code } = await jsonOf(started);
  expect(started.status).toBe(200);
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
  const poll = async (proof: Record<string, string>) =>
    faultOf(t.post(tokenPath, { grant_type, device_code, ...proof }));
  expect(await poll({ client_id: client.clientId })).toEqual(notLetIn);
  expect(await poll(await signed())).toEqual([400, 'authorization_pending']);
  const revoke = async (proof: Record<string, string>) =>
    (await t.post('/api/oauth2/revoke', { token, ...proof })).status;
  // RFC 7009: the same answer, and nothing is revoked.
  expect(await revoke(await other.signed(client))).toBe(200);
  expect((await t.userinfo(token)).status).toBe(200);
  expect(await revoke(await signed())).toBe(200);
  expect((await t.userinfo(token)).status).toBe(401);
});

test('a suspended client gets 403, a deleted one invalid_client', async () => {
  const own = await newSigner(t);
  const its = await t.client({ jwks: { keys: [own.jwk] } });
  await t.act('suspend', its.id);
  expect(await steps.letIn(await own.signed(its))).toEqual([403, 'access_denied']);
  await t.owner.call(`/api/oauth2/applications/${its.id}`, { method: 'DELETE' });
  expect(await steps.letIn(await own.signed(its))).toEqual(notLetIn);
});

test('without OpenID Connect, an assertion is an unknown parameter', async () => {
  const off = await openOAuthTest();
  const plain = await off.client({ jwks: { keys: [signer.jwk] } });
  const tokens = await off.tokens(plain);
  const answer = await off.refresh(plain, tokens.refresh_token, parametersOf('rubbish'));
  expect(answer.status).toBe(200);
  const metadata = await jsonOf(off.call('/.well-known/oauth-authorization-server'));
  expect(metadata.token_endpoint_auth_methods_supported).not.toContain('private_key_jwt');
  await off.close();
});

test('assertions never appear in the log or the audit log', async () => {
  const lines: string[] = [];
  const log = openLog('debug', { write: (line: string) => void lines.push(line) });
  const app = await openTestApp({ log, env: { OPENID_CONNECT: '1' } });
  const owner = await app.user();
  const own = await newSigner({ clock: app.platform.clock, config: app.config });
  const body = { name: 'A', redirect_uris: ['https://a.example/'], scopes: 'openid', jwks: { keys: [own.jwk] } };
  const { data } = await jsonOf(owner.call('/api/oauth2/applications', { method: 'POST', body }));
  const assertion = await own.assertion({ clientId: data.client_id });
  const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x', ...parametersOf(assertion) });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  for (const status of [400, 401])
    expect((await app.call(tokenPath, { method: 'POST', headers, body: `${form}` })).status).toBe(status);
  const audit = await (await (await app.root()).call('/api/admin/audit')).text();
  await app.close();
  expect(audit).toContain(`${own.jwk.kid}`);
  for (const part of assertion.split('.')) expect(`${lines.join('\n')}${audit}`).not.toContain(part);
});

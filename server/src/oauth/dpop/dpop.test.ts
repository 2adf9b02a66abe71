import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { generateKeyPairSync, sign } from 'node:crypto';
import { basic, faultOf, jsonOf, newVerifier, openOAuthTest, type TestClient } from '../oauth.fixture.ts';
import { type OpenidTest, openOpenidTest } from '../openid/openid.fixture.ts';
import { s256 } from '../pkce.ts';
import { newProver, type ProofChanges, type Prover } from './dpop.fixture.ts';
import { proofAlgorithms } from './key.ts';

const tokenPath = '/api/oauth2/token';
const userinfoPath = '/api/oauth2/userinfo';
const badProof: [number, unknown] = [400, 'invalid_dpop_proof'];
const refusedProof: [number, unknown] = [401, 'invalid_dpop_proof'];
const invalidToken: [number, unknown] = [401, 'invalid_token'];
const invalidGrant: [number, unknown] = [400, 'invalid_grant'];

let t: OpenidTest;
let client: TestClient;
let publicClient: TestClient;
let prover: Prover;
beforeAll(async () => {
  t = await openOpenidTest();
  client = await t.client();
  publicClient = await t.client({ app_type: 'public' });
  prover = await newProver(t);
});
afterAll(() => t.close());

const proofHeader = (proof: string | null): Record<string, string> => (proof === null ? {} : { dpop: proof });
const codeFor = async (of: TestClient, fields: Record<string, unknown> = {}) => {
  const verifier = newVerifier();
  const challenge = { code_challenge: s256(verifier), code_challenge_method: 'S256' };
  return { code: await t.code(of, { scope: 'openid profile', ...challenge, ...fields }), code_verifier: verifier };
};
const exchange = (of: TestClient, given: { code: string; code_verifier: string }, proof: string | null) =>
  t.post(
    tokenPath,
    {
      ...{ grant_type: 'authorization_code', redirect_uri: of.redirectUri, ...given },
      ...{ client_id: of.clientId, client_secret: of.secret || undefined },
    },
    proofHeader(proof),
  );
const refresh = (of: TestClient, refresh_token: string, proof: string | null) =>
  t.post(
    tokenPath,
    {
      ...{ grant_type: 'refresh_token', refresh_token },
      ...{ client_id: of.clientId, client_secret: of.secret || undefined },
    },
    proofHeader(proof),
  );
const bound = async (of = client, by = prover) => jsonOf(exchange(of, await codeFor(of), await by.prove(tokenPath)));
const userinfo = (token: string, proof: string | null, scheme = 'DPoP', path = userinfoPath) =>
  t.call(path, { headers: { authorization: `${scheme} ${token}`, ...proofHeader(proof) } });
const proofOfUse = (token: string, changes: ProofChanges = {}) =>
  prover.prove(userinfoPath, { method: 'GET', token, ...changes });

test('a bound token is not valid in a form, with or without a proof', async () => {
  const { access_token } = await bound();
  const proof = await proofOfUse(access_token, { method: 'POST' });
  for (const given of [null, proof])
    expect(await faultOf(t.post(userinfoPath, { access_token }, proofHeader(given)))).toEqual(invalidToken);
});

test.each(proofAlgorithms)('a token is bound to a key of type %s', async (alg) => {
  const own = await newProver(t, alg);
  const tokens = await bound(client, own);
  expect(tokens.token_type).toBe('DPoP');
  const proof = await own.prove(userinfoPath, { method: 'GET', token: tokens.access_token });
  const told = await userinfo(tokens.access_token, proof);
  expect([told.status, (await jsonOf(told)).sub]).toEqual([200, `${t.member.id}`]);
  expect(await t.introspect(client, tokens.access_token)).toMatchObject({ token_type: 'DPoP', cnf: { jkt: own.jkt } });
});

test('a bound token is rejected as a bearer token, and a bearer token with a proof', async () => {
  const { access_token } = await bound();
  expect(await faultOf(t.userinfo(access_token))).toEqual(invalidToken);
  // Nor with a proof beside it.
  expect(await faultOf(userinfo(access_token, await proofOfUse(access_token), 'Bearer'))).toEqual(invalidToken);
  const plain = await t.tokens(client);
  expect(plain.token_type).toBe('Bearer');
  expect(await t.introspect(client, plain.access_token)).not.toHaveProperty('cnf');
  expect(await faultOf(userinfo(plain.access_token, await proofOfUse(plain.access_token)))).toEqual(invalidToken);
  expect((await t.userinfo(plain.access_token)).status).toBe(200);
});

const now = () => Math.floor(t.clock.nowMs() / 1000);
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const payload = (path: string) => ({ htm: 'POST', htu: `${t.config.baseUrl}${path}`, iat: now(), jti: 'unsigned' });
/** With what the library does not sign either. */
function byHand(modulusLength: number, header: Record<string, unknown> = {}): string {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength });
  const head = { alg: 'RS256', typ: 'dpop+jwt', jwk: publicKey.export({ format: 'jwk' }), ...header };
  const signed = `${encoded(head)}.${encoded(payload(tokenPath))}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
}

/** Each makes a proof that must not count. */
const wrong: Record<string, () => Promise<string>> = {
  'another method': () => prover.prove(tokenPath, { method: 'GET' }),
  'another address': () => prover.prove('/api/oauth2/revoke'),
  'another server': () => prover.prove(tokenPath, { claims: { htu: `https://attacker.example${tokenPath}` } }),
  'another scheme': () =>
    prover.prove(tokenPath, { claims: { htu: `${t.config.baseUrl.replace('http:', 'https:')}${tokenPath}` } }),
  'no address': () => prover.prove(tokenPath, { claims: { htu: undefined } }),
  'an old iat': () => prover.prove(tokenPath, { claims: { iat: now() - 61 } }),
  'an iat in the future': () => prover.prove(tokenPath, { claims: { iat: now() + 86_400 } }),
  'no iat': () => prover.prove(tokenPath, { claims: { iat: undefined } }),
  'an iat that is not a number': () => prover.prove(tokenPath, { claims: { iat: `${now()}` } }),
  'no jti': () => prover.prove(tokenPath, { claims: { jti: undefined } }),
  'an empty jti': () => prover.prove(tokenPath, { claims: { jti: '' } }),
  'a long jti': () => prover.prove(tokenPath, { claims: { jti: 'x'.repeat(257) } }),
  'oversized claims': () => prover.prove(tokenPath, { claims: { more: 'x'.repeat(5000) } }),
  'another type': () => prover.prove(tokenPath, { header: { typ: 'JWT' } }),
  'no type': () => prover.prove(tokenPath, { header: { typ: undefined } }),
  'no key': () => prover.prove(tokenPath, { header: { jwk: undefined } }),
  'the private key': () => prover.prove(tokenPath, { header: { jwk: prover.privateJwk } }),
  'a symmetric key': () =>
    prover.prove(tokenPath, {
      header: { alg: 'HS256', jwk: { kty: 'oct', k: Buffer.alloc(32).toString('base64url') } },
      key: new Uint8Array(32),
    }),
  'the public key as a secret': () =>
    prover.prove(tokenPath, { header: { alg: 'HS256' }, key: new TextEncoder().encode(JSON.stringify(prover.jwk)) }),
  'no signature': async () =>
    `${encoded({ alg: 'none', typ: 'dpop+jwt', jwk: prover.jwk })}.${encoded(payload(tokenPath))}.`,
  'an invalid signature and alg none': async () =>
    `${encoded({ alg: 'none', typ: 'dpop+jwt', jwk: prover.jwk })}.${encoded(payload(tokenPath))}.AAAA`,
  'another key’s signature': async () =>
    prover.prove(tokenPath, { key: (await newProver(t)).privateKey, header: { jwk: prover.jwk } }),
  'a key of another curve': async () => {
    const { jwk } = await newProver(t, 'ES384');
    return prover.prove(tokenPath, { header: { jwk } });
  },
  'an enormous exponent': async () => {
    const rsa = await newProver(t, 'RS256');
    return rsa.prove(tokenPath, { header: { jwk: { ...rsa.jwk, e: rsa.jwk.n } } });
  },
  'a weak key': async () => byHand(1024),
  'an unknown critical header': async () => byHand(2048, { crit: ['more'], more: 1 }),
  'two proofs': async () => `${await prover.prove(tokenPath)}, ${await prover.prove(tokenPath)}`,
  'a value that is not a JWT': async () => 'proof',
  'an empty value': async () => '',
  'a list as claims': async () => {
    const [head, , signature] = (await prover.prove(tokenPath)).split('.');
    return `${head}.${encoded([])}.${signature}`;
  },
};

describe('a proof is rejected with', () => {
  test.each(Object.keys(wrong))('%s', async (name) => {
    const given = await codeFor(client);
    const answer = await exchange(client, given, await wrong[name]!());
    expect(await faultOf(answer)).toEqual(badProof);
    // It has cost nothing.
    expect((await exchange(client, given, await prover.prove(tokenPath))).status).toBe(200);
  });
});

test('a valid proof signed by hand is accepted', async () => {
  expect((await exchange(client, await codeFor(client), byHand(2048))).status).toBe(200);
});

test('equivalent spellings of the address are accepted, without the query', async () => {
  const origin = new URL(t.config.baseUrl);
  const htu = `${origin.protocol}//${origin.host.toUpperCase()}${tokenPath}?x=1#y`;
  const proof = await prover.prove(tokenPath, { claims: { htu } });
  expect((await exchange(client, await codeFor(client), proof)).status).toBe(200);
});

test('userinfo requires a single-use proof for this request, token and key', async () => {
  const { access_token } = await bound();
  const another = await bound();
  const stranger = await newProver(t);
  const proof = await proofOfUse(access_token);
  expect((await userinfo(access_token, proof)).status).toBe(200);
  const replayed = await userinfo(access_token, proof);
  expect(replayed.headers.get('www-authenticate')).toStartWith('DPoP realm="svc", error="invalid_dpop_proof"');
  expect(await faultOf(replayed)).toEqual(refusedProof);
  for (const refused of [
    null,
    await proofOfUse(access_token, { method: 'POST' }),
    await proofOfUse(another.access_token),
    await prover.prove(userinfoPath, { method: 'GET' }),
    await prover.prove('/api/oauth2/tokens', { method: 'GET', token: access_token }),
    await proofOfUse(access_token, { claims: { iat: now() - 3600 } }),
  ])
    expect(await faultOf(userinfo(access_token, refused))).toEqual(refusedProof);
  const theirs = await stranger.prove(userinfoPath, { method: 'GET', token: access_token });
  expect(await faultOf(userinfo(access_token, theirs))).toEqual(invalidToken);
  // Everything else that a token opens asks for the same.
  const listing = await prover.prove('/api/oauth2/tokens', { method: 'GET', token: access_token });
  const lacking = await userinfo(access_token, listing, 'DPoP', '/api/oauth2/tokens?x=1');
  expect(lacking.status).toBe(403);
  expect(lacking.headers.get('www-authenticate')).toMatch(/^DPoP .*error="insufficient_scope".* scope="tokens:read"/);
  expect(await faultOf(userinfo('svcat_unknown', await proofOfUse('svcat_unknown')))).toEqual(invalidToken);
});

test('a rejected bound token is challenged in the DPoP scheme', async () => {
  const { access_token } = await bound();
  const refused = async () => {
    const answer = await userinfo(access_token, await proofOfUse(access_token));
    return [answer.status, answer.headers.get('www-authenticate')?.slice(0, 39)];
  };
  expect((await refused())[0]).toBe(200);
  t.clock.advance(3_601_000);
  expect(await refused()).toEqual([401, 'DPoP realm="svc", error="invalid_token"']);
});

test('of 50 concurrent uses of one proof, one succeeds', async () => {
  const { access_token } = await bound();
  const proof = await proofOfUse(access_token);
  const answers = await Promise.all(Array.from({ length: 50 }, () => userinfo(access_token, proof)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(49);
  const codes = await Promise.all(Array.from({ length: 5 }, () => codeFor(client)));
  const once = await prover.prove(tokenPath);
  const exchanged = await Promise.all(codes.map((given) => exchange(client, given, once)));
  expect(exchanged.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('a jti is unique per key', async () => {
  const other = await newProver(t);
  const claims = { jti: 'the same' };
  for (const by of [prover, other]) {
    const proof = await by.prove(tokenPath, { claims });
    expect((await exchange(client, await codeFor(client), proof)).status).toBe(200);
  }
  const again = await prover.prove(tokenPath, { claims });
  expect(await faultOf(exchange(client, await codeFor(client), again))).toEqual(badProof);
});

test('refresh tokens of public clients are bound; a confidential client may change its key, but not omit the proof', async () => {
  const other = await newProver(t);
  const first = await bound(publicClient);
  expect(await faultOf(refresh(publicClient, first.refresh_token, null))).toEqual(badProof);
  expect(await faultOf(refresh(publicClient, first.refresh_token, await other.prove(tokenPath)))).toEqual(invalidGrant);
  const next = await jsonOf(refresh(publicClient, first.refresh_token, await prover.prove(tokenPath)));
  expect(next.token_type).toBe('DPoP');
  expect((await userinfo(next.access_token, await proofOfUse(next.access_token))).status).toBe(200);
  const own = await bound();
  expect(await faultOf(refresh(client, own.refresh_token, null))).toEqual(badProof);
  const moved = await jsonOf(refresh(client, own.refresh_token, await other.prove(tokenPath)));
  expect(await t.introspect(client, moved.access_token)).toMatchObject({ cnf: { jkt: other.jkt } });
});

test('an application can require DPoP always', async () => {
  const strict = await t.client({ dpop_bound_access_tokens: true });
  const given = await codeFor(strict);
  expect(await faultOf(exchange(strict, given, null))).toEqual(badProof);
  const tokens = await jsonOf(exchange(strict, given, await prover.prove(tokenPath)));
  expect(tokens.token_type).toBe('DPoP');
});

test('a code with dpop_jkt can be exchanged only with that key', async () => {
  const given = await codeFor(client, { dpop_jkt: prover.jkt });
  const stranger = await newProver(t);
  expect(await faultOf(exchange(client, given, null))).toEqual(invalidGrant);
  expect(await faultOf(exchange(client, given, await stranger.prove(tokenPath)))).toEqual(invalidGrant);
  expect((await exchange(client, given, await prover.prove(tokenPath))).status).toBe(200);
  for (const dpop_jkt of ['short', 'x'.repeat(44), `${'x'.repeat(42)}=`])
    expect((await t.decide(client, { dpop_jkt })).status).toBe(400);
});

test('pages of other origins may send a proof', async () => {
  const preflight = await t.call(tokenPath, { method: 'OPTIONS' });
  expect(preflight.headers.get('access-control-allow-headers')).toContain('dpop');
});

test('without OpenID Connect, a proof is ignored', async () => {
  const off = await openOAuthTest();
  const of = await off.client();
  const own = await newProver(off);
  const code = await off.code(of);
  const answer = await off.post(
    tokenPath,
    { grant_type: 'authorization_code', code, redirect_uri: of.redirectUri },
    { authorization: basic(of), dpop: 'rubbish' },
  );
  const { access_token, token_type } = await jsonOf(answer);
  expect(token_type).toBe('Bearer');
  const proof = await own.prove(userinfoPath, { method: 'GET', token: access_token });
  const refused = await off.call(userinfoPath, { headers: { authorization: `DPoP ${access_token}`, dpop: proof } });
  expect(await faultOf(refused)).toEqual(invalidToken);
  const preflight = await off.call(tokenPath, { method: 'OPTIONS' });
  expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization, content-type');
  await off.close();
});

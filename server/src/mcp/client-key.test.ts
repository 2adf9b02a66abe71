import { expect, test } from 'bun:test';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { decodeProtectedHeader, importJWK, type JWK, jwtVerify } from 'jose';
import { manualClock } from '../lib/clock.ts';
import { readClientKey, signedBy } from './client-key.ts';

const clock = manualClock(Date.UTC(2026, 0, 15, 12));
const curve = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });
const rsa = (modulusLength = 2_048) => generateKeyPairSync('rsa', { modulusLength });
const pem = ({ privateKey }: { privateKey: KeyObject }, type: 'pkcs1' | 'pkcs8' | 'sec1' = 'pkcs8'): string =>
  privateKey.export({ format: 'pem', type } as { format: 'pem'; type: 'pkcs8' }) as string;
const jwk = ({ privateKey }: { privateKey: KeyObject }, more: object = {}): string =>
  JSON.stringify({ ...privateKey.export({ format: 'jwk' }), ...more });

const [small, p256, p384, p521, big, ed] = [
  ...[rsa(1_024), curve('P-256'), curve('P-384'), curve('P-521'), rsa()],
  generateKeyPairSync('ed25519'),
] as const;
const issuer = 'https://auth.example';
/** What is sent to an authorization server that takes these algorithms. */
async function signed(entered: string, taken?: string[]): Promise<string> {
  const read = readClientKey(entered);
  if ('fault' in read) throw new Error(read.fault);
  const params = new URLSearchParams({ grant_type: 'client_credentials' });
  const metadata = { issuer, ...(taken && { token_endpoint_auth_signing_alg_values_supported: taken }) };
  await signedBy(clock, 'app', read.jwk)(new Headers(), params, `${issuer}/token`, metadata as never);
  expect(params.get('client_assertion_type')).toBe('urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
  return params.get('client_assertion')!;
}

test.each([
  ['PKCS #8 of a curve', pem(p256), p256, { alg: 'ES256' }],
  ['SEC 1, with blanks around', `\n${pem(p384, 'sec1')}\n `, p384, { alg: 'ES384' }],
  ['another curve', pem(p521), p521, { alg: 'ES512' }],
  ['PKCS #1', pem(big, 'pkcs1'), big, { alg: 'RS256' }],
  ['Ed25519', pem(ed), ed, { alg: 'EdDSA' }],
  ['a JSON Web Key', jwk(p256), p256, { alg: 'ES256' }],
  ['a key with an id', jwk(big, { kid: 'k1', alg: 'PS384' }), big, { alg: 'PS384', kid: 'k1' }],
])('signs the client and the audience: %s', async (_, entered, { publicKey }, header) => {
  const assertion = await signed(entered);
  expect(decodeProtectedHeader(assertion)).toEqual({ ...header, typ: 'JWT' });
  const key = await importJWK(publicKey.export({ format: 'jwk' }) as JWK, header.alg);
  const { payload } = await jwtVerify(assertion, key, { currentDate: new Date(clock.nowMs()) });
  const now = Math.floor(clock.nowMs() / 1_000);
  expect(payload).toEqual({
    ...{ iss: 'app', sub: 'app', aud: issuer, iat: now, exp: now + 120 },
    jti: expect.stringMatching(/^[\w-]{22}$/),
  });
});

test('an assertion is used once', async () => {
  expect(await signed(pem(ed))).not.toBe(await signed(pem(ed)));
});

test('uses an algorithm that the key supports and the other side accepts', async () => {
  for (const [taken, alg] of [
    [['PS256', 'ES256'], 'PS256'],
    [['RS512', 'RS256'], 'RS256'],
    [['none'], 'RS256'],
  ] as const)
    expect(decodeProtectedHeader(await signed(pem(big), [...taken])).alg).toBe(alg);
});

test.each([
  ['nothing', ''],
  ['text', 'x'],
  ['half of JSON', '{'],
  ['no key', '{}'],
  ['a list', '{"keys":[]}'],
  ['a secret', '{"kty":"oct","k":"c2VjcmV0"}'],
  ['a public key', p256.publicKey.export({ format: 'pem', type: 'spki' }) as string],
  ['a public JSON Web Key', JSON.stringify(p256.publicKey.export({ format: 'jwk' }))],
  [
    'one with a passphrase',
    p256.privateKey.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x' }) as string,
  ],
  ['a short RSA key', pem(small)],
  ['an unsupported curve', pem(curve('P-224'))],
  ['a key-agreement key', pem(generateKeyPairSync('x25519'))],
  ['a key with a wrong algorithm', jwk(p256, { alg: 'RS256' })],
])('is rejected as a key: %s', (_, entered) => {
  const read = readClientKey(entered);
  expect(read).toEqual({ fault: expect.any(String) });
  // What was entered may be a key all the same.
  if (entered.length > 5) expect(JSON.stringify(read)).not.toContain(entered.slice(0, 40));
});

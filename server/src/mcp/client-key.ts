import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import type { JWK } from 'jose';
import { type Clock, nowSeconds } from '../lib/clock.ts';
import { randomString } from '../lib/ids.ts';
import { table } from '../lib/table.ts';

/* The key of a client that was registered by hand; it authenticates with `private_key_jwt` (RFC 7523 §2.2). */

/** The algorithms of each kind of key, the most common first. */
const algorithmsOf = table<readonly string[]>({
  rsa: ['RS256', 'PS256', 'RS384', 'RS512', 'PS384', 'PS512'],
  'P-256': ['ES256'],
  'P-384': ['ES384'],
  'P-521': ['ES512'],
  Ed25519: ['EdDSA', 'Ed25519'],
});
/** RFC 7518 §3.3: shorter RSA keys can be broken. */
const fewestRsaBits = 2_048;
/** Long enough to tolerate clock skew, too short to be useful if leaked. */
const assertionSeconds = 120;

const kindOf = ({ kty, crv }: JWK): string => (kty === 'RSA' ? 'rsa' : (crv ?? ''));

/** Parses what was entered, a JSON Web Key or any PEM, into the form that is stored; or returns why it is invalid. */
export function readClientKey(entered: string): { jwk: string } | { fault: string } {
  const text = entered.trim();
  const { key, named = {} }: Entered = text.startsWith('{')
    ? fromJwk(text)
    : { key: opened(() => createPrivateKey(text)) };
  if (!key) return { fault: 'must be a private key without a passphrase, in PEM or as a JSON Web Key' };
  const bits = key.asymmetricKeyDetails?.modulusLength;
  if (bits !== undefined && bits < fewestRsaBits) return { fault: `must have at least ${fewestRsaBits} bits` };
  const jwk = opened(() => key.export({ format: 'jwk' }));
  const able = jwk && key.asymmetricKeyType !== 'rsa-pss' ? algorithmsOf[kindOf(jwk)] : undefined;
  if (!jwk || !able) return { fault: 'must be an RSA, P-256, P-384, P-521 or Ed25519 key' };
  const { kid, alg } = named;
  if (alg !== undefined && !able.includes(alg))
    return { fault: 'specifies an algorithm that this key cannot sign with' };
  return { jwk: JSON.stringify({ ...jwk, ...(kid !== undefined && { kid }), ...(alg !== undefined && { alg }) }) };
}

function opened<T>(open: () => T): T | null {
  try {
    return open();
  } catch {
    return null;
  }
}

interface Entered {
  key: KeyObject | null;
  /** The key id at the authorization server, and the algorithm to sign with. */
  named?: { kid?: string; alg?: string };
}

function fromJwk(text: string): Entered {
  const given = opened(() => JSON.parse(text) as Record<string, unknown>);
  if (!given) return { key: null };
  const { kid, alg } = given;
  return {
    key: opened(() => createPrivateKey({ key: given as JWK, format: 'jwk' })),
    named: { ...(typeof kid === 'string' && { kid }), ...(typeof alg === 'string' && { alg }) },
  };
}

/** Authenticates the client at a token endpoint with a signed assertion. */
export function signedBy(
  clock: Clock,
  clientId: string,
  jwk: string,
): NonNullable<OAuthClientProvider['addClientAuthentication']> {
  return async (_headers, params, url, metadata) => {
    const { importJWK, SignJWT } = await import('jose');
    const key = JSON.parse(jwk) as JWK;
    const able = algorithmsOf[kindOf(key)] ?? [];
    const taken = metadata?.token_endpoint_auth_signing_alg_values_supported;
    const alg = key.alg ?? able.find((one) => taken?.includes(one)) ?? able[0]!;
    const now = nowSeconds(clock);
    // RFC 7523 §3, as the extension requires: the audience is the authorization server itself, whichever endpoint is
    // called.
    const assertion = await new SignJWT({ jti: randomString(22) })
      .setProtectedHeader({ alg, typ: 'JWT', ...(key.kid !== undefined && { kid: key.kid }) })
      .setIssuer(clientId)
      .setSubject(clientId)
      .setAudience(metadata?.issuer ?? String(url))
      .setIssuedAt(now)
      .setExpirationTime(now + assertionSeconds)
      .sign(await importJWK(key, alg));
    params.set('client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
    params.set('client_assertion', assertion);
  };
}

import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, EmbeddedJWK, type JWK, jwtVerify } from 'jose';

/** How a server and its authorization server of the tests' own bind tokens to keys. */
export interface Binding {
  /** What the authorization server says that it takes; null where it says nothing. */
  issuerTakes: string[] | null;
  /** What the server's own document says. */
  resourceSays: object;
  /** What a proof has to repeat; asked for each proof, so that it may change for ever. */
  issuerNonce: () => string | null;
  serverNonce: () => string | null;
  tokenType: string;
  /** Thumbprints of the keys that tokens were bound to, and refresh tokens. */
  keys: Map<string, string>;
  /** Names of proofs: none counts twice. */
  used: Set<string>;
  /** Requests that came with a proof, by where they came to. */
  proofs: { issuer: number; server: number };
  algorithms: string[];
}

export const newBinding = (fields: Partial<Binding> = {}): Binding => ({
  issuerTakes: ['ES256'],
  resourceSays: {},
  issuerNonce: () => null,
  serverNonce: () => null,
  tokenType: 'DPoP',
  keys: new Map(),
  used: new Set(),
  proofs: { issuer: 0, server: 0 },
  algorithms: [],
  ...fields,
});

type At = 'issuer' | 'server';
interface Refused {
  error: 'invalid_dpop_proof' | 'use_dpop_nonce';
  nonce: string | null;
}

/** The thumbprint of the key that signed the proof of a request, as RFC 9449 §4.3 has it looked at. */
export async function provenKey(
  binding: Binding,
  at: At,
  request: Request,
  token?: string,
): Promise<{ thumbprint: string } | Refused> {
  const nonce = at === 'issuer' ? binding.issuerNonce() : binding.serverNonce();
  const invalid: Refused = { error: 'invalid_dpop_proof', nonce };
  const proof = request.headers.get('dpop');
  if (proof === null || proof.includes(',')) return invalid;
  binding.proofs[at] += 1;
  try {
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, { typ: 'dpop+jwt', maxTokenAge: 60 });
    const { origin, pathname } = new URL(request.url);
    const ath = token && createHash('sha256').update(token).digest('base64url');
    const fits = payload.htm === request.method && payload.htu === `${origin}${pathname}` && payload.ath === ath;
    const { jti = '' } = payload;
    if (!fits || jti === '' || binding.used.has(jti) || 'd' in protectedHeader.jwk!) return invalid;
    binding.used.add(jti);
    binding.algorithms.push(protectedHeader.alg);
    if (nonce !== null && payload.nonce !== nonce) return { error: 'use_dpop_nonce', nonce };
    return { thumbprint: await calculateJwkThumbprint(protectedHeader.jwk as JWK) };
  } catch {
    return invalid;
  }
}

export const nonceHeader = (nonce: string | null): Record<string, string> =>
  nonce === null ? {} : { 'dpop-nonce': nonce };

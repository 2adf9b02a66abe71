import type { DpopKeyPair, DpopSession, OAuthDiscoveryState } from '@modelcontextprotocol/client';
import type { JWK } from 'jose';
import type { Challenge } from './challenge.ts';
import { McpFault } from './fault.ts';

/*
 * Tokens bound to a key (DPoP, RFC 9449) are useless if leaked: each request carries a proof, signed for that request
 * only, that the sender has the key.
 */

/** A token as sent to a server. */
export interface AccessToken {
  text: string;
  /** The private JSON Web Key that it is bound to; absent for bearer tokens. */
  key?: string | undefined;
  /** Identifies the sign-in, if there can be several. */
  sign?: string | undefined;
}

/** Fastest first; discouraged algorithms are left out. */
const algorithms = ['ES256', 'EdDSA', 'ES384', 'ES512', 'PS256', 'RS256'] as const;
type Algorithm = (typeof algorithms)[number];

/**
 * The algorithm for proofs; null if bearer tokens are used. The server decides, not its authorization server: many
 * authorization servers bind tokens on request, even for servers that do not support it.
 */
export function proofAlgorithm(
  { proof }: Pick<Challenge, 'proof'>,
  discovery: OAuthDiscoveryState | undefined,
): Algorithm | null {
  const { resourceMetadata: resource, authorizationServerMetadata: issuer } = discovery ?? {};
  const known = resource?.dpop_signing_alg_values_supported;
  const needed = proof === 'needed' || resource?.dpop_bound_access_tokens_required === true;
  if (!needed && proof === undefined && !known) return null;
  // Read from the raw document: the library's type lacks this field, and drops it from OpenID Connect documents.
  const { dpop_signing_alg_values_supported: given = needed ? algorithms : [] } = (issuer ?? {}) as Record<
    string,
    unknown
  >;
  const takes = (one: string) => Array.isArray(given) && given.includes(one) && (known?.includes(one) ?? true);
  const found = algorithms.find(takes);
  if (found) return found;
  if (needed)
    throw new McpFault(
      'it requires tokens bound to a key, and its authorization server issues none that the service can use',
    );
  return null;
}

/** A key for one grant, used as long as the grant lasts. */
export async function newKey(alg: Algorithm): Promise<string> {
  const [{ generateDpopKeyPair }, { exportJWK }] = await Promise.all([
    import('@modelcontextprotocol/client'),
    import('jose'),
  ]);
  const { privateKey } = await generateDpopKeyPair({ alg, extractable: true });
  return JSON.stringify({ ...(await exportJWK(privateKey)), alg });
}

/** More keys than are in use at once; an evicted one only loses its nonces. */
const mostProvers = 1_000;
const provers = new Map<string, Promise<DpopSession>>();

/** Signs proofs with a key, and remembers the nonces that servers want in the next proof. */
export function proverOf(key: string): Promise<DpopSession> {
  const known = provers.get(key);
  provers.delete(key);
  const prover = known ?? openProver(key);
  provers.set(key, prover);
  if (provers.size > mostProvers) provers.delete(provers.keys().next().value!);
  return prover;
}

async function openProver(key: string): Promise<DpopSession> {
  const [{ DpopSession }, jose] = await Promise.all([import('@modelcontextprotocol/client'), import('jose')]);
  try {
    const { alg, kty, crv, x, y, n, e, ...secret } = JSON.parse(key) as JWK;
    // As written by `newKey`.
    const algorithm = alg as DpopKeyPair['alg'];
    const publicJwk = JSON.parse(JSON.stringify({ kty, crv, x, y, n, e })) as JWK;
    const [privateKey, publicKey] = await Promise.all(
      [{ ...publicJwk, ...secret }, publicJwk].map((jwk) => jose.importJWK(jwk, algorithm) as Promise<CryptoKey>),
    );
    const thumbprint = await jose.calculateJwkThumbprint(publicJwk);
    const keyPair = { privateKey: privateKey!, publicKey: publicKey!, publicJwk, thumbprint, alg: algorithm };
    return await DpopSession.create({ keyPair });
  } catch {
    throw new McpFault('the key of its token is invalid; sign in to it again');
  }
}

/** RFC 9449 §5: reject a token that is not bound as requested, or bound without having been requested. */
export function requireBound({ token_type }: { token_type: string }, key: string | undefined): void {
  const bound = token_type.toLowerCase() === 'dpop';
  if (key !== undefined && !bound)
    throw new McpFault('its authorization server issues tokens that are not bound to a key');
  if (key === undefined && bound) throw new McpFault('its authorization server binds tokens to a different key');
}

interface Proven {
  method: string;
  url: string;
  headers: Record<string, string>;
}

/** RFC 9449 §7.1. A proof is valid for one request only. */
export async function withProof<R extends Proven>(prover: DpopSession, request: R, accessToken: string): Promise<R> {
  const { method, url, headers } = request;
  const dpop = await prover.buildProof({ htm: method, htu: url, accessToken });
  return { ...request, headers: { ...headers, authorization: `DPoP ${accessToken}`, dpop } };
}

/** RFC 9449 §8.1; the length is limited to what servers accept in a header. */
const isNonce = /^[\x21\x23-\x5b\x5d-\x7e]{1,1024}$/;

/** The nonce for the next proof; undefined if there is none or it is invalid. */
export function nonceIn(headers: Record<string, string>): string | undefined {
  const given = headers['dpop-nonce'];
  return given !== undefined && isNonce.test(given) ? given : undefined;
}

/**
 * Remembers the nonce. True if the server rejected this proof for lack of it, without processing the request (RFC 9449
 * §9).
 */
export function wantsNonce(
  prover: DpopSession,
  url: string,
  { status, headers }: { status: number; headers: Record<string, string> },
): boolean {
  const nonce = nonceIn(headers);
  if (nonce === undefined) return false;
  prover.rememberNonce(url, nonce);
  return status === 401 && /\buse_dpop_nonce\b/.test(headers['www-authenticate'] ?? '');
}

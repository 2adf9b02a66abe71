import type { DpopKeyPair, DpopSession, OAuthDiscoveryState } from '@modelcontextprotocol/client';
import type { JWK } from 'jose';
import type { Challenge } from './challenge.ts';
import { McpFault } from './fault.ts';

/*
 * Tokens that are bound to a key (DPoP, RFC 9449): whoever finds one can do nothing with it. Each request says with a proof,
 * signed for it alone, that its sender has the key.
 */

/** A token as it is shown to a server. */
export interface AccessToken {
  text: string;
  /** What it is bound to, as a private JSON Web Key; absent for one that whoever has it may use. */
  key?: string | undefined;
  /** Which sign-in it is of, where there are several. */
  sign?: string | undefined;
}

/** The quickest of those that nobody advises against, first. */
const algorithms = ['ES256', 'EdDSA', 'ES384', 'ES512', 'PS256', 'RS256'] as const;
type Algorithm = (typeof algorithms)[number];

/**
 * What a proof is to be signed with; null where bearer tokens are asked for. The server decides, not its authorization server:
 * many of those bind tokens for whoever asks, also for servers that know nothing of it.
 */
export function proofAlgorithm(
  { proof }: Pick<Challenge, 'proof'>,
  discovery: OAuthDiscoveryState | undefined,
): Algorithm | null {
  const { resourceMetadata: resource, authorizationServerMetadata: issuer } = discovery ?? {};
  const known = resource?.dpop_signing_alg_values_supported;
  const needed = proof === 'needed' || resource?.dpop_bound_access_tokens_required === true;
  if (!needed && proof === undefined && !known) return null;
  // A document of others: the library knows nothing of this member, and loses it where the document is OpenID Connect's.
  const { dpop_signing_alg_values_supported: given = needed ? algorithms : [] } = (issuer ?? {}) as Record<
    string,
    unknown
  >;
  const takes = (one: string) => Array.isArray(given) && given.includes(one) && (known?.includes(one) ?? true);
  const found = algorithms.find(takes);
  if (found) return found;
  if (needed)
    throw new McpFault(
      'it wants tokens that are bound to a key, and its authorization server gives none that we could use',
    );
  return null;
}

/** For one grant, and as long as it lasts. */
export async function newKey(alg: Algorithm): Promise<string> {
  const [{ generateDpopKeyPair }, { exportJWK }] = await Promise.all([
    import('@modelcontextprotocol/client'),
    import('jose'),
  ]);
  const { privateKey } = await generateDpopKeyPair({ alg, extractable: true });
  return JSON.stringify({ ...(await exportJWK(privateKey)), alg });
}

/** More keys than are used at once; of one that was forgotten, only what servers wanted to read in the next proof is lost. */
const mostProvers = 1_000;
const provers = new Map<string, Promise<DpopSession>>();

/** Signs with a key, and remembers for it what servers want to read in the next proof. */
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
    // As `newKey` has written it.
    const algorithm = alg as DpopKeyPair['alg'];
    const publicJwk = JSON.parse(JSON.stringify({ kty, crv, x, y, n, e })) as JWK;
    const [privateKey, publicKey] = await Promise.all(
      [{ ...publicJwk, ...secret }, publicJwk].map((jwk) => jose.importJWK(jwk, algorithm) as Promise<CryptoKey>),
    );
    const thumbprint = await jose.calculateJwkThumbprint(publicJwk);
    const keyPair = { privateKey: privateKey!, publicKey: publicKey!, publicJwk, thumbprint, alg: algorithm };
    return await DpopSession.create({ keyPair });
  } catch {
    throw new McpFault('the key of its token is none; sign in to it again');
  }
}

/** RFC 9449 §5: what was not bound as it was asked for is worth nothing here, and what was bound to another key neither. */
export function requireBound({ token_type }: { token_type: string }, key: string | undefined): void {
  const bound = token_type.toLowerCase() === 'dpop';
  if (key !== undefined && !bound)
    throw new McpFault('its authorization server gives tokens that are not bound to a key');
  if (key === undefined && bound)
    throw new McpFault('its authorization server binds tokens to a key that it was not told');
}

interface Proven {
  method: string;
  url: string;
  headers: Record<string, string>;
}

/** RFC 9449 §7.1. A proof is for one request, and made anew for the next. */
export async function withProof<R extends Proven>(prover: DpopSession, request: R, accessToken: string): Promise<R> {
  const { method, url, headers } = request;
  const dpop = await prover.buildProof({ htm: method, htu: url, accessToken });
  return { ...request, headers: { ...headers, authorization: `DPoP ${accessToken}`, dpop } };
}

/** RFC 9449 §8.1, and no longer than a header that servers take. */
const isNonce = /^[\x21\x23-\x5b\x5d-\x7e]{1,1024}$/;

/** What an answer wants to read in the next proof; undefined for what is none. */
export function nonceIn(headers: Record<string, string>): string | undefined {
  const given = headers['dpop-nonce'];
  return given !== undefined && isNonce.test(given) ? given : undefined;
}

/** Remembers what the server wants to read. True where it wanted it in this proof already, and has done nothing (RFC 9449 §9). */
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

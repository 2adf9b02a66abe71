import { createHash } from 'node:crypto';
import { compactVerify, decodeProtectedHeader } from 'jose';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { constantTimeEqual, sha256Hex } from '../../lib/hashing.ts';
import type { OAuthContext } from '../context.ts';
import { takeProof } from '../store/proofs.ts';
import { isProofAlgorithm, readKey } from './key.ts';

type Deps = Pick<OAuthContext, 'db' | 'clock' | 'options' | 'baseUrl'>;
type Asked = Pick<Request, 'headers' | 'method' | 'url'>;

/** With a 4,096-bit key it has about 2,000. */
const mostCharacters = 4_096;
const mostJtiCharacters = 256;
/** Maximum age: enough for slow networks and slightly wrong clocks; each proof is remembered as long. */
const oldestSeconds = 60;
/** Allowed clock skew of the client. */
const aheadSeconds = 30;

const fault = (what: string): AppError => new AppError('invalid_dpop_proof', `The DPoP proof ${what}.`);

interface Claims {
  htm?: unknown;
  htu?: unknown;
  iat?: unknown;
  jti?: unknown;
  ath?: unknown;
}

/**
 * The thumbprint of the key a request proves possession of (RFC 9449 §4.3); null without a proof, or if DPoP is
 * disabled.
 */
export async function proofOf(deps: Deps, request: Asked, accessToken?: string): Promise<string | null> {
  const proof = request.headers.get('dpop');
  if (proof === null || !deps.options.get('OAuth2OpenIDConnect')) return null;
  const { claims, thumbprint } = await verified(proof);
  const { htm, htu, iat, jti, ath } = claims;
  if (htm !== request.method) throw fault('is for another method');
  if (!isThisAddress(deps, request, htu)) throw fault('is for another address');
  if (typeof jti !== 'string' || jti === '' || jti.length > mostJtiCharacters) throw fault('has no usable jti');
  const now = nowSeconds(deps.clock);
  if (typeof iat !== 'number' || !(iat >= now - oldestSeconds && iat <= now + aheadSeconds))
    throw fault('is too old or was issued in the future');
  if (accessToken !== undefined && !(typeof ath === 'string' && constantTimeEqual(ath, hashOf(accessToken))))
    throw fault('is for another access token');
  // §11.1: per key, so that nobody can use up another's ids.
  const hash = sha256Hex(`${thumbprint}.${jti}`);
  if (!(await takeProof(deps.db, hash, Math.ceil(iat) + oldestSeconds + 1))) throw fault('was used before');
  return thumbprint;
}

/** Verifies the signature with the key in its own header: that proves possession; the caller compares the rest. */
async function verified(proof: string): Promise<{ claims: Claims; thumbprint: string }> {
  // Repeated headers arrive joined by a comma.
  if (proof.length > mostCharacters || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(proof)) throw fault('is not a signed JWT');
  try {
    const { alg, typ, jwk } = decodeProtectedHeader(proof);
    if (typ !== 'dpop+jwt') throw fault('does not have the type dpop+jwt');
    if (!isProofAlgorithm(alg)) throw fault('is signed with an unsupported algorithm');
    const read = await readKey(jwk, alg);
    if (!read) throw fault('has no public key for its algorithm');
    const { payload } = await compactVerify(proof, read.key, { algorithms: [alg] });
    const claims: unknown = JSON.parse(new TextDecoder().decode(payload));
    if (typeof claims !== 'object' || claims === null) throw fault('has no claims');
    return { claims: claims as Claims, thumbprint: read.thumbprint };
  } catch (error) {
    throw error instanceof AppError ? error : fault('cannot be verified');
  }
}

/** §4.3: without query and fragment, normalised. The Host header is not used. */
function isThisAddress({ baseUrl }: Deps, request: Asked, htu: unknown): boolean {
  const given = typeof htu === 'string' ? URL.parse(htu) : null;
  const own = new URL(`${baseUrl}${new URL(request.url, baseUrl).pathname}`);
  return given !== null && given.origin === own.origin && given.pathname === own.pathname;
}

const hashOf = (accessToken: string): string => createHash('sha256').update(accessToken).digest('base64url');

import { createPublicKey } from 'node:crypto';
import type { JWK } from 'jose';
import { isObject } from '../../lib/is-object.ts';
import { table } from '../../lib/table.ts';
import { holdsSecret, type ProofAlgorithm, proofAlgorithms, publicPartsOf } from '../dpop/key.ts';

/** A client's public keys (RFC 7517 §5) that can verify its signatures. */
export interface KeySet {
  keys: JWK[];
}

/** More than any rotation needs; without a key id all of them are tried. */
const mostKeys = 20;
/** RFC 7518 §3.3: shorter keys are breakable. */
const fewestRsaBits = 2_048;

/** The stored form, without other members (§5), or why it is refused. */
export function readKeySet(given: unknown): KeySet | { fault: string } {
  const listed = isObject(given) && Array.isArray(given.keys) ? given.keys.filter(isObject) : null;
  if (!listed) return { fault: 'must be a JSON Web Key Set: an object with a keys array' };
  if (listed.some(holdsSecret)) return { fault: 'must contain public keys only; keep private keys to yourself' };
  const keys = listed.map(usable).filter((key) => key !== null);
  if (keys.length === 0) return { fault: `must contain a key for signatures with ${proofAlgorithms.join(', ')}` };
  if (keys.length > mostKeys) return { fault: `must contain at most ${mostKeys} keys` };
  return { keys };
}

/** Whether it contains any private key material. */
export const holdsPrivateKey = (given: unknown): boolean =>
  isObject(given) && Array.isArray(given.keys) && given.keys.some((key) => isObject(key) && holdsSecret(key));

/** Candidates for a signature: the named key, or without a name all that fit its algorithm. */
export const keysThatFit = ({ keys }: KeySet, alg: ProofAlgorithm, kid: string | undefined): JWK[] =>
  keys.filter((key) => (kid === undefined || key.kid === kid) && isFor(key, alg) && publicPartsOf(key, alg) !== null);

const mostNameCharacters = 256;

/** Null for a key of another kind or purpose, or an invalid one. */
function usable(given: Record<string, unknown>): JWK | null {
  const { use, key_ops, kid, alg } = given;
  if (use !== undefined && use !== 'sig') return null;
  if (key_ops !== undefined && !(Array.isArray(key_ops) && key_ops.includes('verify'))) return null;
  const fitting = proofAlgorithms.find((name) => isFor(given, name) && publicPartsOf(given, name) !== null);
  const parts = fitting && publicPartsOf(given, fitting);
  if (!parts || !opens(parts)) return null;
  return {
    ...parts,
    ...(typeof kid === 'string' && kid.length <= mostNameCharacters && { kid }),
    ...(typeof alg === 'string' && { alg }),
  };
}

/** RFC 9864: two names of one algorithm. */
const sameAs = table<ProofAlgorithm>({ Ed25519: 'EdDSA' });
const isFor = ({ alg }: { alg?: unknown }, name: ProofAlgorithm): boolean =>
  alg === undefined || (typeof alg === 'string' && (sameAs[alg] ?? alg) === (sameAs[name] ?? name));

function opens(jwk: JWK): boolean {
  try {
    const bits = createPublicKey({ key: jwk, format: 'jwk' }).asymmetricKeyDetails?.modulusLength;
    return bits === undefined || bits >= fewestRsaBits;
  } catch {
    return false;
  }
}

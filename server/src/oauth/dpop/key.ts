import { calculateJwkThumbprint, importJWK, type JWK } from 'jose';

/** RFC 9449 §11.6: signatures that only the holder of a private key can make; `EdDSA` and, after RFC 9864, `Ed25519` are one. */
export const proofAlgorithms = ['ES256', 'RS256', 'EdDSA', 'Ed25519'] as const;
export type ProofAlgorithm = (typeof proofAlgorithms)[number];

export const isProofAlgorithm = (name: unknown): name is ProofAlgorithm =>
  (proofAlgorithms as readonly unknown[]).includes(name);

/** What a key of each kind is made of, and no more: RFC 7518 §6, RFC 8037 §2. */
const publicParts: Record<ProofAlgorithm, { kty: string; crv?: string; parts: readonly string[] }> = {
  ES256: { kty: 'EC', crv: 'P-256', parts: ['x', 'y'] },
  RS256: { kty: 'RSA', parts: ['n', 'e'] },
  EdDSA: { kty: 'OKP', crv: 'Ed25519', parts: ['x'] },
  Ed25519: { kty: 'OKP', crv: 'Ed25519', parts: ['x'] },
};

/** Private parts of any kind of key, and the whole of a symmetric one. */
const secretParts = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];

/** RSA of 4,096 bits, and its usual exponent: larger ones would take a processor for as long as the caller likes. */
const mostCharacters: Record<string, number> = { n: 684, e: 6, x: 43, y: 43 };

const isPart = (name: string, value: unknown): value is string =>
  typeof value === 'string' && /^[\w-]+$/.test(value) && value.length <= mostCharacters[name]!;

/** The key in a proof's header, with its thumbprint (RFC 7638); null for one that is not a public key of that algorithm. */
export async function readKey(given: unknown, alg: ProofAlgorithm) {
  if (typeof given !== 'object' || given === null) return null;
  const jwk = given as Record<string, unknown>;
  const { kty, crv, parts } = publicParts[alg];
  if (jwk.kty !== kty || (crv !== undefined && jwk.crv !== crv)) return null;
  if (secretParts.some((name) => name in jwk)) return null;
  if (!parts.every((name) => isPart(name, jwk[name]))) return null;
  const plain: JWK = { kty, ...(crv && { crv }), ...Object.fromEntries(parts.map((name) => [name, jwk[name]])) };
  return { key: await importJWK(plain, alg), thumbprint: await calculateJwkThumbprint(plain) };
}

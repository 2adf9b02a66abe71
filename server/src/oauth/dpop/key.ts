import { calculateJwkThumbprint, importJWK, type JWK } from 'jose';
import { table } from '../../lib/table.ts';

/** RFC 9449 §11.6: asymmetric algorithms only (RFC 7518 §3.1); `EdDSA` and, after RFC 9864, `Ed25519` are the same. */
export const proofAlgorithms = [
  ...(['ES256', 'ES384', 'ES512'] as const),
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
  ...(['EdDSA', 'Ed25519'] as const),
];
export type ProofAlgorithm = (typeof proofAlgorithms)[number];

export const isProofAlgorithm = (name: unknown): name is ProofAlgorithm =>
  (proofAlgorithms as readonly unknown[]).includes(name);

type Part = (name: string) => string;
const edwards = (part: Part): JWK => ({ kty: 'OKP', crv: 'Ed25519', x: part('x') });
const rsa = (part: Part): JWK => ({ kty: 'RSA', n: part('n'), e: part('e') });
const onCurve =
  (crv: string) =>
  (part: Part): JWK => ({ kty: 'EC', crv, x: part('x'), y: part('y') });

/** Members of each kind of key: RFC 7518 §6, RFC 8037 §2. */
const publicKeys: Record<ProofAlgorithm, (part: Part) => JWK> = {
  ES256: onCurve('P-256'),
  ES384: onCurve('P-384'),
  ES512: onCurve('P-521'),
  ...{ RS256: rsa, RS384: rsa, RS512: rsa, PS256: rsa, PS384: rsa, PS512: rsa },
  ...{ EdDSA: edwards, Ed25519: edwards },
};

/** Private members of any kind of key, and of symmetric keys. */
const secretParts = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];
export const holdsSecret = (jwk: object): boolean => secretParts.some((name) => name in jwk);

/** RSA with 4,096 bits and its usual exponent, or a point of P-521: larger keys could consume arbitrary CPU time. */
const mostCharacters = table<number>({ n: 684, e: 6, x: 88, y: 88 });

/** Empty if it cannot be that member. */
const partOf = (value: unknown, most: number): string =>
  typeof value === 'string' && /^[\w-]+$/.test(value) && value.length <= most ? value : '';

/** Only the members that make up the key; null if it is not a public key of that algorithm. */
export function publicPartsOf(given: unknown, alg: ProofAlgorithm): JWK | null {
  if (typeof given !== 'object' || given === null || holdsSecret(given)) return null;
  const jwk = given as Record<string, unknown>;
  const plain = publicKeys[alg]((name) => partOf(jwk[name], mostCharacters[name] ?? 0));
  if (plain.kty !== jwk.kty || plain.crv !== jwk.crv || Object.values(plain).includes('')) return null;
  return plain;
}

/** The key of a proof's header with its thumbprint (RFC 7638); null if it is not a public key of that algorithm. */
export async function readKey(given: unknown, alg: ProofAlgorithm) {
  const plain = publicPartsOf(given, alg);
  return plain && { key: await importJWK(plain, alg), thumbprint: await calculateJwkThumbprint(plain) };
}

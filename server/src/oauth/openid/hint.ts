import { compactVerify, decodeProtectedHeader, importJWK } from 'jose';
import type { OAuthContext } from '../context.ts';

/** The subject of an ID token of ours. */
export interface Hint {
  sub: string;
  clientId: string;
}

/**
 * Null unless we signed it, as an ID token, with the algorithm of the key it names: otherwise an attacker could sign
 * with our public key as an HMAC secret (RFC 8725 §3.1). It may be expired (RP-Initiated Logout 1.0 §2).
 */
export async function readHint(
  { signingKeys, baseUrl }: Pick<OAuthContext, 'signingKeys' | 'baseUrl'>,
  token: string,
): Promise<Hint | null> {
  try {
    const { kid, alg, typ } = decodeProtectedHeader(token);
    const key = typeof kid === 'string' ? await signingKeys.named(kid) : null;
    if (!key || key.algorithm !== alg || typ !== 'JWT') return null;
    const { payload } = await compactVerify(token, await importJWK(key.jwk, alg), { algorithms: [alg] });
    const { iss, sub, aud } = JSON.parse(new TextDecoder().decode(payload)) as Record<string, string>;
    return iss === baseUrl && sub && aud ? { sub, clientId: aud } : null;
  } catch {
    return null;
  }
}

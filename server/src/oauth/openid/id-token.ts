import { createHash } from 'node:crypto';
import { nowSeconds } from '../../lib/clock.ts';
import type { OAuthContext } from '../context.ts';
import type { Scope } from '../scopes.ts';
import type { Client } from '../store/columns.ts';
import { type ClaimedPerson, standardClaims } from './claims.ts';
import { readSignIn, sessionContext } from './sign-in.ts';
import { idTokenSeconds } from './signing-keys.ts';

type Deps = Pick<OAuthContext, 'clock' | 'options' | 'signingKeys' | 'baseUrl'>;

/** OpenID Connect Core §3.1.3.6: the left half of the hash, for both algorithms. */
const halfHash = (text: string): string =>
  createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');

/**
 * Prepares the ID token of a grant; null if none was requested. The key is loaded before a code or refresh token is
 * consumed, so that a failure costs nothing.
 */
export async function idTokenFor(
  deps: Deps,
  client: Client,
  granted: { user_id: number; sign_in: string | null },
  person: ClaimedPerson,
) {
  if (granted.sign_in === null || !deps.options.get('OAuth2OpenIDConnect')) return null;
  const { auth_time, sid, nonce } = readSignIn(granted.sign_in);
  const sign = await deps.signingKeys.signer(client.id_token_signed_response_alg);
  return (issued: { accessToken: string }, scopes: readonly Scope[], { withNonce }: { withNonce: boolean }) => {
    const now = nowSeconds(deps.clock);
    return sign(
      {
        ...standardClaims(person, scopes),
        iss: deps.baseUrl,
        sub: `${granted.user_id}`,
        aud: client.client_id,
        exp: now + idTokenSeconds,
        iat: now,
        auth_time,
        acr: sessionContext,
        sid,
        at_hash: halfHash(issued.accessToken),
        ...(withNonce && nonce !== undefined && { nonce }),
      },
      'JWT',
    );
  };
}

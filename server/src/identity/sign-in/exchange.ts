import type { Configuration } from 'openid-client';
import { callbackUrl, secretsOf } from './begin.ts';
import { type Claims, claimAt } from './claims.ts';
import type { SignInContext } from './context.ts';
import { SignInFault, wordsOf } from './fault.ts';
import { githubClaims } from './github.ts';
import { sealedGrant } from './kept-grant.ts';
import type { Provider } from './store/providers.ts';
import { loadClient } from './upstreams.ts';

/** What the browser returned, and what it started with. */
export interface Returned {
  search: string;
  state: string;
  browserSecret: string;
}

export interface Exchanged {
  claims: Claims;
  /** Sealed, if the provider vouches for its users; else empty. */
  grant: string;
}

/**
 * The authenticated user. The library checks state, issuer (RFC 9207) and the ID token's signature, issuer, audience,
 * time and nonce (OpenID Connect Core §3.1.3.7).
 */
export async function exchange(room: SignInContext, provider: Provider, returned: Returned): Promise<Exchanged> {
  const { verifier, nonce } = secretsOf(returned.browserSecret, returned.state);
  const client = await loadClient();
  const here = new URL(callbackUrl(room, provider));
  here.search = returned.search;
  const openid = provider.kind === 'openid';
  try {
    const upstream = await room.upstreams.of(provider);
    const tokens = await client.authorizationCodeGrant(upstream, here, {
      expectedState: returned.state,
      pkceCodeVerifier: verifier,
      ...(openid && { expectedNonce: nonce, idTokenExpected: true }),
    });
    if (!openid) return { claims: await githubClaims(upstream, provider.issuer, tokens.access_token), grant: '' };
    const { sub } = tokens.claims()!;
    // OpenID Connect Core §2; the library accepts any text, and not all can be stored.
    if (!/^[ -~]{1,255}$/.test(sub)) throw new Error('the subject of the ID token is not 1 to 255 ASCII characters');
    const claims = await completed(upstream, provider, tokens.claims()!, tokens.access_token);
    return { claims, grant: provider.vouches ? sealedGrant(room, tokens) : '' };
  } catch (error) {
    const denied = (error as { error?: unknown }).error === 'access_denied';
    throw new SignInFault(denied ? 'denied' : 'provider_failed', wordsOf(error));
  }
}

/** Many providers keep the ID token short; the rest comes from userinfo. Signed claims take precedence. */
async function completed(
  upstream: Configuration,
  { roleClaim }: Provider,
  signed: Claims,
  accessToken: string,
): Promise<Claims> {
  const lacksRole = roleClaim !== '' && claimAt(signed, roleClaim) === undefined;
  const lacks = signed.email === undefined || signed.name === undefined || lacksRole;
  if (!lacks || !upstream.serverMetadata().userinfo_endpoint) return signed;
  const { fetchUserInfo } = await loadClient();
  const told: Record<string, unknown> = await fetchUserInfo(upstream, accessToken, signed.sub);
  // Address and verification flag must come from one source, or one could vouch for another address.
  const { email, email_verified } = signed.email === undefined ? told : signed;
  return { ...told, ...signed, email, email_verified };
}

import type { ServerMetadata } from 'openid-client';
import { nowSeconds } from '../../lib/clock.ts';
import { hmacSha256Hex, sha256Hex } from '../../lib/hashing.ts';
import { randomString } from '../../lib/ids.ts';
import type { SignInContext } from './context.ts';
import { SignInFault, wordsOf } from './fault.ts';
import { isLoginAgain, safeReturnTo } from './return-to.ts';
import { type AttemptRow, insertAttempt } from './store/attempts.ts';
import type { Provider } from './store/providers.ts';
import { loadClient } from './upstreams.ts';

/** Long enough for a second factor at the provider. */
const attemptSeconds = 600;
export const attemptBegan = ({ expires_at }: Pick<AttemptRow, 'expires_at'>): number => expires_at - attemptSeconds;

export const callbackUrl = ({ webUrl }: Pick<SignInContext, 'webUrl'>, { slug }: Pick<Provider, 'slug'>): string =>
  `${webUrl}/api/auth/${slug}/callback`;

/**
 * A secret in the browser's cookie, which ties the return to the start. PKCE verifier and nonce are derived from it, so
 * that neither is stored.
 */
export const newBrowserSecret = (): string => randomString(48);
export const isBrowserSecret = (text: string): boolean => /^[0-9A-Za-z]{48}$/.test(text);

export const secretsOf = (browserSecret: string, state: string) => ({
  verifier: hmacSha256Hex(browserSecret, `verifier ${state}`),
  nonce: hmacSha256Hex(browserSecret, `nonce ${state}`),
});

export interface Beginning {
  browserSecret: string;
  returnTo: string | undefined;
  /** The user who connects the account; null for a sign-in. */
  linkUserId: number | null;
}

/**
 * Adds the scope for refresh tokens, which vouching needs after the ID token has expired (OpenID Connect Core §11),
 * unless the provider does not support it.
 */
function scopesFor({ scopes, vouches }: Provider, { scopes_supported: known }: ServerMetadata): string {
  const asked = !vouches || scopes.split(' ').includes('offline_access');
  return asked || known?.includes('offline_access') === false ? scopes : `${scopes} offline_access`;
}

/** Where the browser goes next. */
export async function beginSignIn(
  room: SignInContext,
  provider: Provider,
  { browserSecret, returnTo, linkUserId }: Beginning,
): Promise<string> {
  const state = randomString(43);
  const { verifier, nonce } = secretsOf(browserSecret, state);
  const openid = provider.kind === 'openid';
  let url: URL;
  try {
    const client = await loadClient();
    const upstream = await room.upstreams.of(provider);
    const metadata = upstream.serverMetadata();
    // RFC 9126 §5.
    const pushes = metadata.require_pushed_authorization_requests === true;
    const addressed = pushes ? client.buildAuthorizationUrlWithPAR : client.buildAuthorizationUrl;
    url = await addressed(upstream, {
      redirect_uri: callbackUrl(room, provider),
      scope: scopesFor(provider, metadata),
      state,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(openid && { nonce }),
      // OpenID Connect Core §3.1.2.1: passes an application's login requirement on to the provider.
      ...(openid && returnTo && isLoginAgain(returnTo) && { prompt: 'login' }),
    });
  } catch (error) {
    throw new SignInFault('provider_failed', wordsOf(error));
  }
  await insertAttempt(room.db, {
    state_hash: sha256Hex(state),
    provider_id: provider.id,
    browser_hash: sha256Hex(browserSecret),
    return_to: safeReturnTo(returnTo, room.webUrl),
    link_user_id: linkUserId,
    expires_at: nowSeconds(room.clock) + attemptSeconds,
  });
  return url.href;
}

import type { ServerMetadata } from 'openid-client';
import { nowSeconds } from '../../lib/clock.ts';
import { hmacSha256Hex, sha256Hex } from '../../lib/hashing.ts';
import { randomString } from '../../lib/ids.ts';
import { SignInFault, wordsOf } from './fault.ts';
import { isLoginAgain, safeReturnTo } from './return-to.ts';
import type { SignInRoom } from './room.ts';
import { insertAttempt } from './store/attempts.ts';
import type { Provider } from './store/providers.ts';
import { loadClient } from './upstreams.ts';

/** Long enough to find a telephone for a second factor. */
const attemptSeconds = 600;

export const callbackUrl = ({ webUrl }: Pick<SignInRoom, 'webUrl'>, { slug }: Pick<Provider, 'slug'>): string =>
  `${webUrl}/api/auth/${slug}/callback`;

/**
 * Known to one browser alone, by its cookie: what proves that who comes back is who left. The code's verifier and the
 * token's nonce are made of it, so that neither is stored anywhere.
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
  /** Who wants to connect the account; null where somebody signs in. */
  linkUserId: number | null;
}

/** With what vouching goes on by after the ID token has run out (OpenID Connect Core §11), unless the provider knows no such scope. */
function scopesFor({ scopes, vouches }: Provider, { scopes_supported: known }: ServerMetadata): string {
  const asked = !vouches || scopes.split(' ').includes('offline_access');
  return asked || known?.includes('offline_access') === false ? scopes : `${scopes} offline_access`;
}

/** The address to which the browser goes next. */
export async function beginSignIn(
  room: SignInRoom,
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
    url = client.buildAuthorizationUrl(upstream, {
      redirect_uri: callbackUrl(room, provider),
      scope: scopesFor(provider, upstream.serverMetadata()),
      state,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(openid && { nonce }),
      // OpenID Connect Core §3.1.2.1: what an application asks of us, we ask of whoever it is asked at.
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

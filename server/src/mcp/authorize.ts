import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import { type Clock, nowSeconds } from '../lib/clock.ts';
import type { Challenge } from './challenge.ts';
import { bySecret } from './client-secret.ts';
import type { McpDeps } from './context.ts';
import { McpFault } from './fault.ts';
import { clientSecretsOf } from './own-client.ts';
import { fetchForSignIn } from './sign-in-fetch.ts';
import type { McpServer } from './store/servers.ts';

/** Merges lists of scopes without duplicates. */
export const scopesOf = (...lists: (string | undefined)[]): string =>
  [...new Set(lists.flatMap((list) => list?.split(/\s+/) ?? []))].filter((scope) => scope !== '').join(' ');

/** Scopes are part of a URL. */
export const mostScopeCharacters = 2_000;

/** Renew this early, so that a token does not expire on its way to the server. */
const earlySeconds = 30;
export const isFresh = ({ clock }: { clock: Clock }, { expiresAt }: { expiresAt?: number | undefined }): boolean =>
  expiresAt === undefined || nowSeconds(clock) < expiresAt - earlySeconds;

interface Asked extends Omit<Challenge, 'proof'> {
  authorizationCode?: string;
  iss?: string | undefined;
  forceReauthorization?: boolean;
  /**
   * Values to redact from errors; callers that send more secrets than the client's own add them while the flow runs.
   */
  secrets?: readonly string[];
  /**
   * Do not retry a refused request, as the library would: the answer would be the same, and some servers lock out
   * clients that try too often.
   */
  once?: boolean;
}

/**
 * Runs the library's flow to a token, or to the page where the user grants access. The library is loaded on the first
 * sign-in.
 */
export async function authorize(
  deps: McpDeps,
  server: McpServer,
  provider: OAuthClientProvider,
  more: Asked = {},
): Promise<'AUTHORIZED' | 'REDIRECT'> {
  const { auth, selectClientAuthMethod, ...library } = await import('@modelcontextprotocol/client');
  const { iss, secrets = clientSecretsOf(deps, server), once = false, ...rest } = more;
  const fetchFn = fetchForSignIn(deps, secrets);
  return auth(
    { addClientAuthentication: bySecret(provider, selectClientAuthMethod), ...provider },
    {
      serverUrl: server.url,
      fetchFn: once ? askingOnce(fetchFn) : fetchFn,
      ...rest,
      ...(iss !== undefined && { iss }),
    },
  ).catch((error: Error) => {
    if (error instanceof library.AuthorizationServerMismatchError) throw otherIssuer();
    // The library has no error class for servers without dynamic registration.
    const closed = error instanceof library.RegistrationRejectedError || /dynamic client reg/.test(error.message);
    throw closed ? registersNobody() : error;
  });
}

/** Repeats a refusal from memory. A proof that lacked a nonce may be retried (RFC 9449 §8). */
function askingOnce(ask: ReturnType<typeof fetchForSignIn>): typeof ask {
  let refusal: Response | undefined;
  return async (url, init) => {
    if (init?.method === 'POST' && refusal) return refusal.clone();
    const answer = await ask(url, init);
    if (init?.method === 'POST' && !answer.ok && !answer.headers.has('dpop-nonce')) refusal = answer.clone();
    return answer;
  };
}

const otherIssuer = (): McpFault =>
  new McpFault('its authorization server is not the one its client was used with; enter the client again');
const registersNobody = (): McpFault =>
  new McpFault(
    'its authorization server does not allow dynamic registration; enter a client registered there manually',
  );

import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import type { Challenge } from './challenge.ts';
import { McpFault } from './fault.ts';
import { clientSecretsOf } from './own-client.ts';
import type { McpDeps } from './room.ts';
import { fetchForSignIn } from './sign-in-fetch.ts';
import type { McpServer } from './store/servers.ts';

/** Each once. */
export const scopesOf = (...lists: (string | undefined)[]): string =>
  [...new Set(lists.flatMap((list) => list?.split(/\s+/) ?? []))].filter((scope) => scope !== '').join(' ');

/** They stand in an address. */
export const mostScopeCharacters = 2_000;

/** A token that runs out on the way is no use. */
export const earlySeconds = 30;

interface Asked extends Omit<Challenge, 'proof'> {
  authorizationCode?: string;
  iss?: string | undefined;
  forceReauthorization?: boolean;
  /** What must not be told; whoever shows more than the client's own adds it on the way. */
  secrets?: readonly string[];
  /** Whoever is refused is not asked again, as the library would: nothing would be different then, and some lock out who tries. */
  once?: boolean;
}

/** The library's way to a token, or to the page where a user allows it one. Loaded by the first who signs in, like the rest of it. */
export async function authorize(
  deps: McpDeps,
  server: McpServer,
  provider: OAuthClientProvider,
  more: Asked = {},
): Promise<'AUTHORIZED' | 'REDIRECT'> {
  const { auth, ...library } = await import('@modelcontextprotocol/client');
  const { iss, secrets = clientSecretsOf(deps, server), once = false, ...rest } = more;
  const fetchFn = fetchForSignIn(deps, secrets);
  return auth(provider, {
    serverUrl: server.url,
    fetchFn: once ? askingOnce(fetchFn) : fetchFn,
    ...rest,
    ...(iss !== undefined && { iss }),
  }).catch((error: Error) => {
    if (error instanceof library.AuthorizationServerMismatchError) throw otherIssuer();
    // Where nobody may register, the library has no error of its own for it.
    const closed = error instanceof library.RegistrationRejectedError || /dynamic client reg/.test(error.message);
    throw closed ? registersNobody() : error;
  });
}

/** The same answer for whoever asks again; a proof that lacked something is another matter (RFC 9449 §8). */
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
  new McpFault('its authorization server is not the one that its client was used at; enter the client again');
const registersNobody = (): McpFault =>
  new McpFault('its authorization server does not register us; enter a client that was registered there by hand');

import type { KeyPrincipal } from '../../identity/principals.ts';
import type { User } from '../../identity/user.ts';
import { AppError } from '../../lib/errors.ts';
import type { Call } from '../../platform/http/route.ts';

/** Who uses servers through us: a user, with a key, or with a token that an application holds. */
export interface McpCaller extends KeyPrincipal {
  /** What a token is for; null where no token was shown. */
  audience: readonly string[] | null;
}

declare module '../../platform/http/route.ts' {
  interface Principals {
    mcp: McpCaller;
  }
}

/** Who calls with an access token. */
interface TokenPrincipal {
  user: User;
  limitKey: string;
  /** The resources it was asked for (RFC 8707); a token without any is for none of ours. */
  audience?: readonly string[] | undefined;
}

export interface WaysIn {
  baseUrl: string;
  keysAllowed(): boolean;
  byKey(call: Call): KeyPrincipal | Promise<KeyPrincipal>;
  byToken(call: Call): TokenPrincipal | Promise<TokenPrincipal>;
}

/** The address of a server, or of all of them together, as tokens name it. */
const resourceOf = (baseUrl: string, server: string | null): string =>
  `${baseUrl}/mcp${server === null ? '' : `/${server}`}`;

/** RFC 8707 §2: a token is for the resources that it was asked for and for no other. Keys are for all that their user may do. */
export const allowedFor = (
  { audience }: Pick<McpCaller, 'audience'>,
  server: string | null,
  baseUrl: string,
): boolean => audience === null || audience.includes(resourceOf(baseUrl, server));

/** Asked where the server's name is known for certain, however the address was written. */
export function requireAudience(caller: McpCaller, server: string | null, baseUrl: string): void {
  if (allowedFor(caller, server, baseUrl)) return;
  const error = new AppError('invalid_token', `The access token is not for ${resourceOf(baseUrl, server)}.`);
  throw withMetadata(error, baseUrl, server);
}

/** Who calls, by token or key; what a token is for, the route looks at. */
export function mcpAuthenticator(ways: WaysIn): (call: Call) => Promise<McpCaller> {
  return async (call) => {
    try {
      return await identify(ways, call);
    } catch (error) {
      throw withMetadata(error, ways.baseUrl, serverIn(call));
    }
  };
}

async function identify(ways: WaysIn, call: Call): Promise<McpCaller> {
  if (isToken(call)) {
    const { user, limitKey, audience = [] } = await ways.byToken(call);
    return { user, limitKey, audience, keyId: null, models: [], unlimited: true };
  }
  const principal = await ways.byKey(call);
  // The web app's own calls carry no key.
  if (principal.keyId !== null && !ways.keysAllowed())
    throw new AppError('invalid_api_key', 'API keys are not accepted here. Use an access token for this address.');
  return { ...principal, audience: null };
}

const isToken = ({ request }: Call): boolean => /^bearer +svcat_/i.test(request.headers.get('authorization') ?? '');

/** As the address is written: it is only told where to ask. */
const serverIn = ({ request }: Call): string | null => /\/mcp\/([a-z0-9-]{1,24})(\?|$)/.exec(request.url)?.[1] ?? null;

/** RFC 9728 §5.1: where a client learns which authorization server to ask. */
function withMetadata(error: unknown, baseUrl: string, server: string | null): unknown {
  if (!(error instanceof AppError) || error.status !== 401) return error;
  const path = new URL(resourceOf(baseUrl, server)).pathname;
  const metadata = `resource_metadata="${new URL(baseUrl).origin}/.well-known/oauth-protected-resource${path}"`;
  const fault = error.code === 'invalid_token' ? ', error="invalid_token"' : '';
  const headers = { ...error.extras.headers, 'www-authenticate': `Bearer realm="svc"${fault}, ${metadata}` };
  return new AppError(error.code, error.message, { ...error.extras, headers }, error.detail);
}

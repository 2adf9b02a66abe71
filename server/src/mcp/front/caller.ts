import type { KeyPrincipal } from '../../identity/principals.ts';
import type { User } from '../../identity/user.ts';
import { AppError } from '../../lib/errors.ts';
import { type OpenTools, openTools } from '../../lib/tool-scopes.ts';
import type { Call } from '../../platform/http/route.ts';

/** The caller of the MCP endpoints: a user with an API key, or an application with a user's access token. */
export interface McpCaller extends KeyPrincipal {
  /** The resources that the token is for; null if no token was used. */
  audience: readonly string[] | null;
  /** The tools that the token's scopes allow; null for all. */
  tools: OpenTools | null;
  /** Distinguishes the keys and applications of one user: they must not share sessions or other state with servers. */
  through: string;
  /** The application whose token is used; absent for keys. */
  applicationId?: number;
  /** A person calls from a page, so tools that ask first need not ask. */
  inPerson?: true;
  /**
   * The principal for calls to our own endpoints, which spend the user's quota. Throws if the token does not allow
   * spending.
   */
  asPayer(): KeyPrincipal | Promise<KeyPrincipal>;
}

declare module '../../platform/http/route.ts' {
  interface Principals {
    mcp: McpCaller;
  }
}

/** The caller with an access token. */
interface TokenPrincipal {
  user: User;
  applicationId: number;
  scopes: readonly string[];
  limitKey: string;
}

export interface CallerAuthDeps {
  baseUrl: string;
  keysAllowed(): boolean;
  /** Accepts API keys only, never a token, in whichever header it is sent. */
  byKey(call: Call): KeyPrincipal | Promise<KeyPrincipal>;
  /** Throws unless the token was requested for this resource (RFC 8707). */
  byToken(call: Call, resource: string, again?: boolean): TokenPrincipal | Promise<TokenPrincipal>;
  /** The same token as a paying principal; throws if it may not spend. */
  payWith(token: string, resource: string): KeyPrincipal | Promise<KeyPrincipal>;
}

/** The resource URI, as used in tokens, of one server or of all servers together (null). */
const resourceOf = (baseUrl: string, server: string | null): string =>
  `${baseUrl}/mcp${server === null ? '' : `/${server}`}`;

/**
 * RFC 8707 §2: a token is valid only for the resources it was requested for. Keys are valid for all that their user may
 * use.
 */
export const allowedFor = (
  { audience }: Pick<McpCaller, 'audience'>,
  server: string | null,
  baseUrl: string,
): boolean => audience === null || audience.includes(resourceOf(baseUrl, server));

export const opensTool = ({ tools }: Pick<McpCaller, 'tools'>, server: string, tool: string): boolean =>
  tools === null || tools.opens(server, tool);
export const opensServer = ({ tools }: Pick<McpCaller, 'tools'>, server: string): boolean =>
  tools === null || tools.opensAll(server);

/** Called once the server's name is certain, however the URL was spelled. */
export function requireAudience(caller: McpCaller, server: string | null, baseUrl: string): void {
  if (allowedFor(caller, server, baseUrl)) return;
  throw new AppError('invalid_token', `The access token is not valid for ${resourceOf(baseUrl, server)}.`, {
    headers: { 'www-authenticate': 'Bearer realm="svc", error="invalid_token"' },
  });
}

/** Authenticates by token or key. */
export function mcpAuthenticator(ways: CallerAuthDeps): (call: Call) => McpCaller | Promise<McpCaller> {
  const admit = (principal: KeyPrincipal): McpCaller => {
    // Cookies are not accepted: none of our pages calls these endpoints.
    if (principal.keyId === null || !ways.keysAllowed())
      throw new AppError('invalid_api_key', 'API keys are not accepted here. Use an access token for this address.');
    return callerBy(principal);
  };
  return (call) => {
    const { headers } = call.request;
    const authorization = headers.get('authorization');
    const token = authorization === null ? undefined : tokenIn(authorization);
    if (token !== undefined) return byToken(ways, call, token);
    if (authorization === null && !headers.has('x-api-key'))
      throw new AppError('invalid_api_key', 'Send an access token or an API key as Authorization: Bearer …');
    const principal = ways.byKey(call);
    return principal instanceof Promise ? principal.then(admit) : admit(principal);
  };
}

/** For long-lived responses: throws or rejects once the caller would no longer be authenticated. */
export const recheckCaller =
  (ways: CallerAuthDeps) =>
  (call: Call): unknown => {
    const authorization = call.request.headers.get('authorization');
    if (authorization !== null && tokenIn(authorization) !== undefined)
      return ways.byToken(call, resourceOf(ways.baseUrl, serverIn(call)), true);
    return mcpAuthenticator(ways)(call);
  };

/** Callers by key principal, which is the same object as long as it is cached. */
const callers = new WeakMap<KeyPrincipal, McpCaller>();

function callerBy(principal: KeyPrincipal): McpCaller {
  return callers.get(principal) ?? newCaller(principal);
}

function newCaller(principal: KeyPrincipal): McpCaller {
  const { limitKey: through } = principal;
  const caller: McpCaller = { ...principal, audience: null, tools: null, through, asPayer: () => principal };
  callers.set(principal, caller);
  return caller;
}

async function byToken(ways: CallerAuthDeps, call: Call, token: string): Promise<McpCaller> {
  // Second authentication, after the body was received: the token was checked and counted already. The principal was
  // set by this function, so it is an `McpCaller`.
  if (call.principal !== null) return call.principal as unknown as McpCaller;
  const resource = resourceOf(ways.baseUrl, serverIn(call));
  const { user, applicationId, scopes, limitKey } = await ways.byToken(call, resource);
  return {
    ...{ user, limitKey, keyId: null, models: [], unlimited: true, audience: [resource] },
    tools: openTools(scopes),
    applicationId,
    through: `application:${applicationId}`,
    asPayer: () => ways.payWith(token, resource),
  };
}

const tokenIn = (authorization: string): string | undefined =>
  /^(?:bearer|dpop) +(svcat_\S+) *$/i.exec(authorization)?.[1];

/** The server as written in the URL; the handler checks the name that it resolves to (`requireAudience`). */
const serverIn = ({ request }: Call): string | null =>
  /^\/mcp\/([a-z0-9-]{1,24}(?:_\d{1,15})?)$/.exec(new URL(request.url, 'http://own.invalid').pathname)?.[1] ?? null;

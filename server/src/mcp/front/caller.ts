import type { KeyPrincipal } from '../../identity/principals.ts';
import type { User } from '../../identity/user.ts';
import { AppError } from '../../lib/errors.ts';
import { type OpenTools, openTools } from '../../lib/tool-scopes.ts';
import type { Call } from '../../platform/http/route.ts';

/** Who uses servers through us: a user, with a key, or with a token that an application holds. */
export interface McpCaller extends KeyPrincipal {
  /** What a token is for; null where no token was shown. */
  audience: readonly string[] | null;
  /** What of the user's tools the scopes of a token open; null for all. */
  tools: OpenTools | null;
  /** Tells keys and applications of one user apart: what servers remember of one is not the other's. */
  through: string;
  /** A person calls with their own hand: whoever would be asked first is there already. */
  inPerson?: true;
  /** As whom our own endpoints are asked, which spend what is the user's. Throws where a token is not for that. */
  asPayer(): KeyPrincipal | Promise<KeyPrincipal>;
}

declare module '../../platform/http/route.ts' {
  interface Principals {
    mcp: McpCaller;
  }
}

/** Who calls with an access token. */
interface TokenPrincipal {
  user: User;
  applicationId: number;
  scopes: readonly string[];
  limitKey: string;
}

export interface WaysIn {
  baseUrl: string;
  keysAllowed(): boolean;
  /** By key alone: never by a token, whichever header it comes in. */
  byKey(call: Call): KeyPrincipal | Promise<KeyPrincipal>;
  /** Throws unless the token was asked for this resource (RFC 8707). */
  byToken(call: Call, resource: string, again?: boolean): TokenPrincipal | Promise<TokenPrincipal>;
  /** The same token, where it may spend as well; throws where it may not. */
  payWith(token: string, resource: string): KeyPrincipal | Promise<KeyPrincipal>;
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

export const opensTool = ({ tools }: Pick<McpCaller, 'tools'>, server: string, tool: string): boolean =>
  tools === null || tools.opens(server, tool);
export const opensServer = ({ tools }: Pick<McpCaller, 'tools'>, server: string): boolean =>
  tools === null || tools.opensAll(server);

/** Asked where the server's name is known for certain, however the address was written. */
export function requireAudience(caller: McpCaller, server: string | null, baseUrl: string): void {
  if (allowedFor(caller, server, baseUrl)) return;
  throw new AppError('invalid_token', `The access token is not for ${resourceOf(baseUrl, server)}.`, {
    headers: { 'www-authenticate': 'Bearer realm="svc", error="invalid_token"' },
  });
}

/** Who calls, by token or key. */
export function mcpAuthenticator(ways: WaysIn): (call: Call) => McpCaller | Promise<McpCaller> {
  const admit = (principal: KeyPrincipal): McpCaller => {
    // A cookie opens nothing here: no page of ours calls.
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

/** For an answer that goes on for long: throws, or rejects, once whoever asked would be let in no more. */
export const stillIn =
  (ways: WaysIn) =>
  (call: Call): unknown => {
    const authorization = call.request.headers.get('authorization');
    if (authorization !== null && tokenIn(authorization) !== undefined)
      return ways.byToken(call, resourceOf(ways.baseUrl, serverIn(call)), true);
    return mcpAuthenticator(ways)(call);
  };

/** Callers by what is known of their key, which is the same object while it is warm. */
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

async function byToken(ways: WaysIn, call: Call, token: string): Promise<McpCaller> {
  // Whoever is asked once more, when a body has come, is known already, and was counted: by this function, so it is a caller.
  if (call.principal !== null) return call.principal as unknown as McpCaller;
  const resource = resourceOf(ways.baseUrl, serverIn(call));
  const { user, applicationId, scopes, limitKey } = await ways.byToken(call, resource);
  return {
    ...{ user, limitKey, keyId: null, models: [], unlimited: true, audience: [resource] },
    tools: openTools(scopes),
    through: `application:${applicationId}`,
    asPayer: () => ways.payWith(token, resource),
  };
}

const tokenIn = (authorization: string): string | undefined =>
  /^(?:bearer|dpop) +(svcat_\S+) *$/i.exec(authorization)?.[1];

/** As the address is written; who answers looks at the name that is meant (`requireAudience`). */
const serverIn = ({ request }: Call): string | null =>
  /^\/mcp\/([a-z0-9-]{1,24}(?:_\d{1,15})?)$/.exec(new URL(request.url, 'http://own.invalid').pathname)?.[1] ?? null;

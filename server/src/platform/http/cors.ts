import type { Call, Route } from './route.ts';

/** Which origins may call the API from a browser. Consulted on every call, so the data is in memory. */
export interface CorsPolicy {
  enabled(): boolean;
  /** The operator's list; `*` allows every origin, for the relay only. */
  listed(): ReadonlySet<string>;
  /** Origins of registered applications' redirect URIs. */
  registered(origin: string): boolean | Promise<boolean>;
}

/** `relay`: models and MCP, by API key. `application`: what an application does with its access token. */
type Scope = 'relay' | 'application';

const relayPath = /^\/((v1|v1beta|v2|openai)\/|mcp(\/|$))/;
const applicationPath = /^\/api\/oauth2\/tokens(\/|$)/;

/** Also depends on the authentication: endpoints that accept our cookie are for our own pages only. */
export function corsScope({ path, auth }: Pick<Route, 'path' | 'auth'>): Scope | null {
  if (relayPath.test(path)) return ['apiKey', 'googleKey', 'mcp', 'none'].includes(auth) ? 'relay' : null;
  return applicationPath.test(path) && (auth as string) === 'bearer' ? 'application' : null;
}

export const isRelayPath = (path: string): boolean => relayPath.test(path);

const exposed = [
  'x-request-id',
  'request-id',
  'www-authenticate',
  'retry-after',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'x-svc-provider',
  'x-svc-cost',
  'x-svc-cache',
  'age',
  'x-svc-budget-remaining',
  'x-svc-left-out',
  'mcp-session-id',
].join(', ');

/** CORS headers of an answer. Credentials are never allowed, as no cookie is accepted here. */
async function corsHeaders(policy: CorsPolicy, scope: Scope, request: Request): Promise<Record<string, string> | null> {
  const origin = request.headers.get('origin');
  if (origin === null || origin === 'null') return null;
  const listed = policy.listed();
  const anyone = scope === 'relay' && listed.has('*');
  if (!anyone && !listed.has(origin) && !(await policy.registered(origin))) return null;
  return { 'access-control-allow-origin': anyone ? '*' : origin, 'access-control-expose-headers': exposed };
}

/** Adds the CORS headers to whatever answer the call gets. */
export async function allowOrigin(policy: CorsPolicy, scope: Scope, call: Pick<Call, 'headers' | 'request'>) {
  // Also without an Origin header: a cached answer for one origin must not be served to another.
  call.headers.vary = 'origin';
  Object.assign(call.headers, await corsHeaders(policy, scope, call.request));
}

/** Header names and commas. Clients send many of their own headers, which are harmless. */
const headerList = /^[\w!#$%&'*+.^`|~, -]{1,2000}$/;

/** Answers a CORS preflight (Fetch standard); null if the request is none, or the origin is not allowed. */
export async function answerPreflight(
  policy: CorsPolicy | undefined,
  scope: Scope,
  methods: readonly string[],
  request: Request,
  headers: Readonly<Record<string, string>>,
): Promise<Response | null> {
  if (!policy?.enabled() || request.headers.get('access-control-request-method') === null) return null;
  const allowed = await corsHeaders(policy, scope, request);
  if (!allowed) return null;
  const asked = request.headers.get('access-control-request-headers');
  return new Response(null, {
    status: 204,
    headers: {
      ...headers,
      ...allowed,
      'access-control-allow-methods': methods.join(', '),
      ...(asked !== null && headerList.test(asked) && { 'access-control-allow-headers': asked }),
      // Short, so that a changed policy takes effect soon.
      'access-control-max-age': '600',
      vary: 'origin, access-control-request-method, access-control-request-headers',
    },
  });
}

import type { Call, Route } from './route.ts';

/** Whose pages may call from their own origin; asked for every call, and so in memory. */
export interface CorsPolicy {
  enabled(): boolean;
  /** What the operator lists; `*` among them means every origin, at the relay alone. */
  listed(): ReadonlySet<string>;
  /** Origins that registered applications redirect to. */
  registered(origin: string): boolean | Promise<boolean>;
}

/** `relay`: models, and tools over MCP, by key. `application`: what an application does with its token. */
type Scope = 'relay' | 'application';

const relayPath = /^\/((v1|v1beta|v2|openai)\/|mcp(\/|$))/;
const applicationPath = /^\/api\/oauth2\/tokens(\/|$)/;

/** By what opens it as well: an endpoint that takes our cookie is for our own pages only. */
export function corsScope({ path, auth }: Pick<Route, 'path' | 'auth'>): Scope | null {
  if (relayPath.test(path)) return ['apiKey', 'mcp', 'none'].includes(auth) ? 'relay' : null;
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

/** What an answer says to the page that asked; credentials never, as no cookie counts here. */
async function corsHeaders(policy: CorsPolicy, scope: Scope, request: Request): Promise<Record<string, string> | null> {
  const origin = request.headers.get('origin');
  if (origin === null || origin === 'null') return null;
  const listed = policy.listed();
  const anyone = scope === 'relay' && listed.has('*');
  if (!anyone && !listed.has(origin) && !(await policy.registered(origin))) return null;
  return { 'access-control-allow-origin': anyone ? '*' : origin, 'access-control-expose-headers': exposed };
}

/** Puts them on whatever the call will be answered with. */
export async function allowOrigin(policy: CorsPolicy, scope: Scope, call: Pick<Call, 'headers' | 'request'>) {
  // Also for those who name no origin: what a cache keeps of one is not for the others.
  call.headers.vary = 'origin';
  Object.assign(call.headers, await corsHeaders(policy, scope, call.request));
}

/** Names of headers and commas; clients send a dozen of their own, which mean nothing to us and harm nobody. */
const headerList = /^[\w!#$%&'*+.^`|~, -]{1,2000}$/;

/** The answer to the question that a browser asks first (Fetch standard, CORS-preflight); null where it is none, or no. */
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
      // Short: the operator may change his mind.
      'access-control-max-age': '600',
      vary: 'origin, access-control-request-method, access-control-request-headers',
    },
  });
}

import { isRelayFormat } from '../../lib/error-shapes.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Tracer } from '../tracing.ts';
import type { Span, SpanPlace } from '../tracing-otlp.ts';
import { audited, type RecordAct, requireAudit } from './audit.ts';
import { addChallengeParameter } from './challenge-parameter.ts';
import type { Block } from './client-ip.ts';
import { allowOrigin, answerPreflight, type CorsPolicy, corsScope } from './cors.ts';
import { errorPage, wantsPage } from './error-page.ts';
import type { HeaderSets } from './headers.ts';
import { HttpCall } from './http-call.ts';
import { type IdempotencyDeps, idempotent } from './idempotent.ts';
import { LastHeaders } from './last-headers.ts';
import { applyLimit, type Limiter } from './limits.ts';
import { logError } from './log-error.ts';
import { MemoryBudget } from './memory-budget.ts';
import { parseInput } from './parse.ts';
import { renderError } from './renderers.ts';
import { addRetryAfter } from './retry-after.ts';
import type { Authenticator, Authenticators, Call, Route } from './route.ts';
import { type AliasesOf, type Handler, type PathMeant, Router } from './router.ts';
import { toAppError } from './to-app-error.ts';
import { handleUnmatched } from './unmatched.ts';

export interface HttpDeps extends IdempotencyDeps {
  authenticators: Authenticators;
  /**
   * Authenticates again after a body was received: that may take long, and the caller may have lost access meanwhile.
   */
  again?: Partial<Authenticators>;
  /** A further condition for a route, checked once the caller is known. */
  conditionOf?(name: string): ((call: Call) => Promise<void>) | undefined;
  limiter: Limiter;
  recordAct: RecordAct;
  metrics: Metrics;
  trustedProxies: Block[];
  headers: HeaderSets;
  /** Other spellings of an address; none if absent. */
  aliasesOf?: AliasesOf;
  /** Maps a path by who asks; the identity if absent. */
  pathMeant?: PathMeant;
  /** Absent: other origins cannot read answers, unless a route allows it itself. */
  cors?: CorsPolicy;
  /** An extra parameter of the 401 challenge at this path, such as `resource_metadata`; null for none. */
  challengeAt?(path: string): string | null;
  /** Checked at the end of each call: whether access logging is on. */
  accessLog(): boolean;
  /** Absent: no traces. */
  tracer?: Tracer;
}

/** Builds the router: each route becomes a handler. */
export function mountRoutes(routes: Route[], deps: HttpDeps): Router {
  const router = new Router(handleUnmatched(deps), deps.aliasesOf, deps.pathMeant);
  const memoryBudget = new MemoryBudget();
  for (const route of routes) {
    requireAudit(route);
    router.add(route.method.toUpperCase(), route.path, walk(route, deps, memoryBudget), route.when);
  }
  addPreflights(router, routes, deps);
  return router;
}

function addPreflights(router: Router, routes: Route[], { cors, headers }: HttpDeps): void {
  const open = routes.filter((route) => corsScope(route) !== null);
  for (const [path, methods] of Map.groupBy(open, (route) => route.path)) {
    const scope = corsScope(methods[0]!)!;
    const names = methods.map(({ method }) => method.toUpperCase());
    router.add('OPTIONS', path, async (request, server) => {
      const answer = await answerPreflight(cors, scope, names, request, headers.relay);
      return answer ?? router.refuse(request, server);
    });
  }
}

/** One request through one route: limits, authentication, input, handler, answer. */
function walk(route: Route, deps: HttpDeps, memoryBudget: MemoryBudget): Handler {
  const authenticate =
    route.auth === 'none' ? null : (deps.authenticators[route.auth as keyof Authenticators] as Authenticator);
  const again = deps.again?.[route.auth as keyof Authenticators] as Authenticator | undefined;
  const name = `${route.method.toUpperCase()} ${route.path}`;
  const condition = deps.conditionOf?.(name);
  const relayed = isRelayFormat(route.errors);
  const scope = corsScope(route);
  const headers = { ...headersFor(route, deps.headers), ...route.headers };
  const observe = deps.metrics.histogram('svc_http_request_seconds', 'Response time by route.', { route: name });
  const failed = deps.metrics.counter('svc_http_errors_total', 'Responses with status 500 or higher by route.', {
    route: name,
  });
  const lastHeaders = new LastHeaders();
  const handle = idempotent(route, audited(route, deps.recordAct, deps.log), deps, (error, call) =>
    answerError(route, error, call, deps),
  );
  return async (request, server, params = noParams, members) => {
    const started = performance.now();
    const call = new HttpCall(request, server, deps.trustedProxies, headers, lastHeaders, memoryBudget);
    // Anthropic's SDKs read this header, on errors too.
    if (route.errors === 'anthropic') call.headers['request-id'] = call.requestId;
    if (members) call.members = members;
    if (again) call.again = again;
    const span = deps.tracer?.begin(call.requestId, call.request.headers.get('traceparent'));
    let response: Response;
    try {
      if (scope && deps.cors?.enabled()) await allowOrigin(deps.cors, scope, call);
      const admitted = admit(route, authenticate, call, deps);
      if (admitted) await admitted;
      if (condition) await condition(call);
      route.permits?.(call.principal);
      const parsed = parseInput(route, call, params);
      if (parsed) {
        await parsed;
        const known = call.stillIn();
        if (known) await known;
        // Less may be allowed than before.
        route.permits?.(call.principal);
      }
      response = await handle(call);
    } catch (error) {
      response = answerError(route, error, call, deps);
    }
    call.answered();
    if (response.status >= 500) failed();
    if (response.status === 503) addRetryAfter(response, relayed);
    if (response.status === 401 || isScopeMissing(response))
      addChallengeParameter(response, deps.challengeAt?.(pathOf(route, params)) ?? null);
    const ms = performance.now() - started;
    observe(ms / 1000);
    if (span) deps.tracer!.record(requestSpan(span, route, call, response.status, ms));
    if (deps.accessLog()) logAccess(deps.log, route, call, response.status, ms);
    return response;
  };
}

function headersFor({ method, errors }: Route, { api, relay, relayRead }: HeaderSets): Record<string, string> {
  if (!isRelayFormat(errors)) return api;
  return method === 'get' ? relayRead : relay;
}

const noParams: Record<string, string> = Object.freeze({});

/** RFC 6750 §3.1: a caller told that a scope is missing is also told where to request it. */
const isScopeMissing = (response: Response): boolean =>
  response.status === 403 && response.headers.get('www-authenticate')?.includes('insufficient_scope') === true;

/** The route's own path with its parameters, whichever spelling was used. */
const pathOf = ({ path }: Route, params: Record<string, string>): string =>
  path.replace(/\{(\w+)\+?\}/g, (whole, name: string) => params[name] ?? whole);

/** Rate limit and authentication. Synchronous unless a lookup is needed, which is rare. */
function admit(
  route: Route,
  authenticate: Authenticator | null,
  call: Call,
  deps: HttpDeps,
): Promise<void> | undefined {
  if (!authenticate) return count(route, call, deps);
  if (route.limit?.by === 'ip') {
    const counted = count(route, call, deps);
    return counted ? identifyCounted(counted, authenticate, call) : identify(authenticate, call);
  }
  try {
    const known = identify(authenticate, call);
    return known ? countKnown(known, route, call, deps) : count(route, call, deps);
  } catch (error) {
    return refuse(route, call, deps, error);
  }
}

/**
 * Separate functions: a function containing a closure allocates its scope on every call, even if nothing is awaited.
 */
async function identifyCounted(counted: Promise<void>, authenticate: Authenticator, call: Call): Promise<void> {
  await counted;
  await identify(authenticate, call);
}

async function countKnown(known: Promise<void>, route: Route, call: Call, deps: HttpDeps): Promise<void> {
  try {
    await known;
  } catch (error) {
    return refuse(route, call, deps, error);
  }
  return count(route, call, deps);
}

const count = (route: Route, call: Call, deps: HttpDeps): Promise<void> | undefined =>
  route.limit ? applyLimit(deps.limiter, route.limit, call, route.errors) : undefined;

/** Failed authentication counts against the caller's IP address; otherwise guessing credentials would be unlimited. */
async function refuse(route: Route, call: Call, deps: HttpDeps, error: unknown): Promise<never> {
  await count(route, call, deps);
  throw error;
}

function identify(authenticate: Authenticator, call: Call): Promise<void> | undefined {
  const found = authenticate(call);
  if (!(found instanceof Promise)) {
    call.principal = found;
    return undefined;
  }
  return identifyLater(found, call);
}

async function identifyLater(found: Promise<Call['principal']>, call: Call): Promise<void> {
  call.principal = await found;
}

function answerError({ errors, visited }: Route, thrown: unknown, call: Call, deps: HttpDeps): Response {
  call.whole = true;
  const error = toAppError(thrown);
  logError(deps.log, { requestId: call.requestId }, error);
  if (visited && wantsPage(call.request)) return errorPage(error, call);
  return renderError(errors, error, call.requestId, call.headers);
}

/** Logs the route instead of the address, which may contain a file's unguessable name. */
function logAccess(log: Log, route: Route, call: Call, status: number, ms: number): void {
  const { requestId, ip, request } = call;
  log.info(
    { requestId, method: request.method, route: route.path, status, ms: Math.round(ms), ip, ...whoOf(call) },
    'request',
  );
}

function whoOf(call: Call): { userId?: number; keyId?: number } {
  const who = call.principal as { user?: { id: number }; keyId?: number | null } | null;
  return { ...(who?.user && { userId: who.user.id }), ...(who?.keyId && { keyId: who.keyId }) };
}

/** Covers the time to the response head: a stream's body may follow for minutes. */
function requestSpan(place: SpanPlace, route: Route, call: Call, status: number, ms: number): Span {
  const endMs = Date.now();
  const method = route.method.toUpperCase();
  return {
    ...place,
    name: `${method} ${route.path}`,
    kind: 'server',
    startMs: endMs - ms,
    endMs,
    attributes: {
      'http.request.method': method,
      'http.route': route.path,
      'http.response.status_code': status,
      'svc.request_id': call.requestId,
      'enduser.id': whoOf(call).userId?.toString(),
    },
    failed: status >= 500,
  };
}

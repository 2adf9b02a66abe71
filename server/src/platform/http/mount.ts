import { type ErrorFormat, isRelayFormat } from '../../lib/error-shapes.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Tracer } from '../tracing.ts';
import type { Span, SpanPlace } from '../tracing-otlp.ts';
import { audited, type RecordAct, requireAudit } from './audit.ts';
import type { Block } from './client-ip.ts';
import { allowOrigin, answerPreflight, type CorsPolicy, corsScope } from './cors.ts';
import { Growth } from './growth.ts';
import type { HeaderSets } from './headers.ts';
import { HttpCall } from './http-call.ts';
import { LastHeaders } from './last-headers.ts';
import { applyLimit, type Limiter } from './limits.ts';
import { type OnceDeps, once } from './once.ts';
import { parseInput } from './parse.ts';
import { renderError } from './renderers.ts';
import { sayWhenToRetry } from './retry-after.ts';
import type { Authenticator, Authenticators, Call, Route } from './route.ts';
import { type AliasesOf, type Handler, type PathMeant, Router } from './router.ts';
import { sayWhereToAsk } from './say-where-to-ask.ts';
import { toAppError } from './to-app-error.ts';
import { answerUnmatched } from './unmatched.ts';

export interface HttpDeps extends OnceDeps {
  authenticators: Authenticators;
  /** Asked once more when a body has come, which may take its time: whoever was let in may have been put out meanwhile. */
  again?: Partial<Authenticators>;
  /** What else must hold before this route is carried out, of a caller who is known. */
  conditionOf?(name: string): ((call: Call) => Promise<void>) | undefined;
  limiter: Limiter;
  recordAct: RecordAct;
  metrics: Metrics;
  trustedProxies: Block[];
  headers: HeaderSets;
  /** Other ways of writing an address; none when absent. */
  aliasesOf?: AliasesOf;
  /** What a path means to whom; itself when absent. */
  pathMeant?: PathMeant;
  /** Absent: no page of another origin may read what is answered, but where a route says so itself. */
  cors?: CorsPolicy;
  /** What a 401 at this path says beside its challenge, such as where to learn of an authorization server; null for nothing. */
  challengeAt?(path: string): string | null;
  /** Asked at the end of each call: whether the operator wants an access log. */
  accessLog(): boolean;
  /** Absent: no traces. */
  tracer?: Tracer;
}

/** Puts route values behind one way in: each becomes a handler. */
export function mountRoutes(routes: Route[], deps: HttpDeps): Router {
  const router = new Router(answerUnmatched(deps), deps.aliasesOf, deps.pathMeant);
  const growth = new Growth();
  for (const route of routes) {
    requireAudit(route);
    router.add(route.method.toUpperCase(), route.path, walk(route, deps, growth), route.when);
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

/** One request through one route: limits, caller, input, handler, answer. */
function walk(route: Route, deps: HttpDeps, growth: Growth): Handler {
  const authenticate =
    route.auth === 'none' ? null : (deps.authenticators[route.auth as keyof Authenticators] as Authenticator);
  const again = deps.again?.[route.auth as keyof Authenticators] as Authenticator | undefined;
  const name = `${route.method.toUpperCase()} ${route.path}`;
  const condition = deps.conditionOf?.(name);
  const relayed = isRelayFormat(route.errors);
  const scope = corsScope(route);
  const headers = { ...(relayed ? deps.headers.relay : deps.headers.api), ...route.headers };
  const observe = deps.metrics.histogram('svc_http_request_seconds', 'Time to the answer, per route.', { route: name });
  const failed = deps.metrics.counter('svc_http_errors_total', 'Answers of 500 and over, per route.', { route: name });
  const lastHeaders = new LastHeaders();
  const handle = once(route, audited(route, deps.recordAct, deps.log), deps, (error, call) =>
    answerError(route.errors, error, call, deps),
  );
  return async (request, server, params = noParams, members) => {
    const started = performance.now();
    const call = new HttpCall(request, server, deps.trustedProxies, headers, lastHeaders, growth);
    // Anthropic's name of the header, which its libraries read, of refusals too.
    if (route.errors === 'anthropic') call.headers['request-id'] = call.requestId;
    if (members) call.members = members;
    const span = deps.tracer?.begin(call.requestId, call.request.headers.get('traceparent'));
    let response: Response;
    try {
      if (scope && deps.cors?.enabled()) await allowOrigin(deps.cors, scope, call);
      const admitted = admit(route, authenticate, call, deps);
      if (admitted) await admitted;
      if (condition) await condition(call);
      const parsed = parseInput(route, call, params);
      if (parsed) {
        await parsed;
        if (again) await identify(again, call);
      }
      response = await handle(call);
    } catch (error) {
      response = answerError(route.errors, error, call, deps);
    }
    call.answered();
    if (response.status >= 500) failed();
    if (response.status === 503) sayWhenToRetry(response, relayed);
    if (response.status === 401 || isScopeMissing(response))
      sayWhereToAsk(response, deps.challengeAt?.(pathOf(route, params)) ?? null);
    const ms = performance.now() - started;
    observe(ms / 1000);
    if (span) deps.tracer!.record(requestSpan(span, route, call, response.status, ms));
    if (deps.accessLog()) logAccess(deps.log, route, call, response.status, ms);
    return response;
  };
}

const noParams: Record<string, string> = Object.freeze({});

/** RFC 6750 §3.1: whoever is told which scope is missing is told where to ask for it. */
const isScopeMissing = (response: Response): boolean =>
  response.status === 403 && response.headers.get('www-authenticate')?.includes('insufficient_scope') === true;

/** The address as the route has it, whichever of its other ways of writing was used. */
const pathOf = ({ path }: Route, params: Record<string, string>): string =>
  path.replace(/\{(\w+)\+?\}/g, (whole, name: string) => params[name] ?? whole);

/** Limits and caller. At once where nothing has to be asked elsewhere, which is nearly always. */
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

/** Functions of their own: one that holds another makes room for what that needs each time, also where nothing is waited for. */
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

/** Callers who fail to prove who they are count under their address, or guessing would be free. */
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

function answerError(format: ErrorFormat, thrown: unknown, call: Call, deps: HttpDeps): Response {
  call.whole = true;
  const error = toAppError(thrown);
  if (error.status >= 500 || error.detail !== undefined) {
    const level = error.status >= 500 ? 'error' : 'warn';
    deps.log[level]({ requestId: call.requestId, code: error.code, error: error.detail ?? thrown }, error.message);
  }
  return renderError(format, error, call.requestId, call.headers);
}

/** The route, not the address: that may hold the unguessable name of a file, which is as good as a key to it. */
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

/** Until the head of the answer: a stream's body may follow for minutes. */
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

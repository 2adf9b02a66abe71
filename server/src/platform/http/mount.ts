import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Server } from 'bun';
import type { Context } from 'hono';
import { AppError } from '../../lib/errors.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Tracer } from '../tracing.ts';
import type { Span, SpanPlace } from '../tracing-otlp.ts';
import type { Block } from './client-ip.ts';
import type { DirectRoutes } from './direct.ts';
import type { HeaderSets } from './headers.ts';
import { HttpCall } from './http-call.ts';
import { LastHeaders } from './last-headers.ts';
import { applyLimit, type Limiter } from './limits.ts';
import { describeRoute } from './openapi.ts';
import { parseInput } from './parse.ts';
import { formatOfPath, renderError } from './renderers.ts';
import type { Authenticator, Authenticators, Call, ErrorFormat, Route } from './route.ts';

export interface HttpDeps {
  authenticators: Authenticators;
  limiter: Limiter;
  log: Log;
  metrics: Metrics;
  trustedProxies: Block[];
  headers: HeaderSets;
  /** Asked at the end of each call: whether the operator wants an access log. */
  accessLog(): boolean;
  /** Absent: no traces. */
  tracer?: Tracer;
}

export type HttpEnv = { Bindings: Server<unknown> };
export type HttpApp = OpenAPIHono<HttpEnv>;

/** Puts route values on the app: each becomes a handler, and an entry of the OpenAPI document; `direct` gets those it can find. */
export function mountRoutes(app: HttpApp, routes: Route[], deps: HttpDeps, direct?: DirectRoutes): void {
  for (const route of routes) {
    // Preflights are the browser's own affair.
    if (route.method !== 'options') app.openAPIRegistry.registerPath(describeRoute(route));
    const method = route.method.toUpperCase();
    const handler = walk(route, deps);
    app.on(method, honoPath(route.path), (c) => handler(c.req.raw, c.env, c.req.param()));
    if (!route.path.includes('{')) direct?.set(method, route.path, handler);
  }
}

const honoPath = (path: string): string => path.replace(/\{(\w+)\+\}/g, ':$1{.+}').replace(/\{(\w+)\}/g, ':$1');

/** One request through one route: limits, caller, input, handler, answer. */
function walk(
  route: Route,
  deps: HttpDeps,
): (request: Request, server?: Server<unknown>, params?: Record<string, string>) => Promise<Response> {
  const authenticate =
    route.auth === 'none' ? null : (deps.authenticators[route.auth as keyof Authenticators] as Authenticator);
  const name = `${route.method.toUpperCase()} ${route.path}`;
  const relayed = route.errors === 'openai' || route.errors === 'anthropic' || route.errors === 'video';
  const headers = { ...(relayed ? deps.headers.relay : deps.headers.api), ...route.headers };
  const observe = deps.metrics.histogram('svc_http_request_seconds', 'Time to the answer, per route.', { route: name });
  const failed = deps.metrics.counter('svc_http_errors_total', 'Answers of 500 and over, per route.', { route: name });
  const lastHeaders = new LastHeaders();
  return async (request, server, params = {}) => {
    const started = performance.now();
    const call = new HttpCall(request, server, deps.trustedProxies, headers, lastHeaders);
    const span = deps.tracer?.begin(call.requestId, call.request.headers.get('traceparent'));
    let response: Response;
    try {
      const admitted = admit(route, authenticate, call, deps);
      if (admitted) await admitted;
      const parsed = parseInput(route, call, params);
      if (parsed) await parsed;
      response = await route.handle(call);
    } catch (error) {
      response = answerError(route.errors, error, call, deps);
    }
    if (response.status >= 500) failed();
    const ms = performance.now() - started;
    observe(ms / 1000);
    if (span) deps.tracer!.record(requestSpan(span, route, call, response.status, ms));
    if (deps.accessLog()) logAccess(deps.log, route, call, response.status, ms);
    return response;
  };
}

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
    return counted ? counted.then(() => identify(authenticate, call)) : identify(authenticate, call);
  }
  try {
    const known = identify(authenticate, call);
    if (!known) return count(route, call, deps);
    return known.then(
      () => count(route, call, deps),
      (error) => refuse(route, call, deps, error),
    );
  } catch (error) {
    return refuse(route, call, deps, error);
  }
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
  return found.then((principal) => {
    call.principal = principal;
  });
}

function answerError(format: ErrorFormat, thrown: unknown, call: Call, deps: HttpDeps): Response {
  const error = toAppError(thrown);
  if (error.status >= 500 || error.detail !== undefined) {
    const level = error.status >= 500 ? 'error' : 'warn';
    deps.log[level]({ requestId: call.requestId, code: error.code, error: error.detail ?? thrown }, error.message);
  }
  return renderError(format, error, call.requestId, call.headers);
}

/** What is not ours becomes a bare 500, but for a database that is away and input nested past the stack. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof RangeError && /call stack/i.test(thrown.message))
    return new AppError('invalid_value', 'The request is nested too deeply.');
  if (isDatabaseAway(thrown))
    return new AppError('unavailable', 'The database cannot be reached right now. Try again in a moment.', {}, thrown);
  return new AppError('internal_error', 'Internal error. Quote the request id when reporting it.', {}, thrown);
}

/** No connection, or a server that says it is going, coming or full: PostgreSQL's classes 08, 53 and 57. */
function isDatabaseAway(thrown: unknown): boolean {
  const { code, errno } = (thrown ?? {}) as { code?: unknown; errno?: unknown };
  if (typeof errno === 'string' && /^(08|53|57)/.test(errno)) return true;
  return (
    typeof code === 'string' &&
    /^ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME)|^ECONN|^SQLITE_(BUSY|FULL|READONLY|IOERR)/.test(code)
  );
}

/** An address nobody serves: 405 when another method is served there, else 404, in the shape of its neighbourhood. */
export function answerUnmatched(app: HttpApp, c: Context<HttpEnv>, deps: HttpDeps): Response {
  const call = new HttpCall(c.req.raw, c.env, deps.trustedProxies, deps.headers.api);
  const { path, method } = c.req;
  const allowed = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(
    (other) => other !== method && app.router.match(other, path)[0].length > 0,
  );
  const error =
    allowed.length > 0
      ? new AppError('method_not_allowed', `${method} is not supported here.`, {
          headers: { allow: allowed.join(', ') },
        })
      : new AppError('not_found', `There is nothing at ${method} ${path}.`);
  return renderError(formatOfPath(path), error, call.requestId, call.headers);
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

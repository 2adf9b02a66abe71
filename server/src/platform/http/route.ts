import type { ZodObject, ZodType, z } from 'zod';
import type { ErrorFormat } from '../../lib/error-shapes.ts';
import { writeInTurns } from '../../lib/write-in-turns.ts';
import type { AuditRule } from './audit-rule.ts';
import type { LastHeaders } from './last-headers.ts';
import type { SocketEnd } from './sockets.ts';

/**
 * Who may call. Each room that can tell a caller adds its kind with
 * `declare module '../platform/http/route.ts' { interface Principals { session: … } }`
 * and app.ts hands over the function that finds it.
 */
export interface Principals {
  none: null;
}
export type AuthKind = keyof Principals;

/** A limit counts calls per minute; its number is the runtime option of that name. */
export interface Limit {
  option: string;
  /** What is counted together: the caller's address, or the signed-in user or key (address when there is none). */
  by: 'ip' | 'principal';
}

/** What a handler gets: the request parsed and its caller known. */
export interface Call<A extends AuthKind = AuthKind, B = unknown, Q = unknown, P = unknown> {
  request: Request;
  requestId: string;
  /** The caller's address, after TRUSTED_PROXIES. */
  ip: string;
  principal: Principals[A];
  body: B;
  query: Q;
  params: P;
  /** Aborted when the client leaves. */
  signal: AbortSignal;
  /** The same for every attempt at the same request, where its caller sent an Idempotency-Key. */
  idempotencyId?: number;
  /** Members of the body that the path names, and that count before those in it. */
  members?: Record<string, string> | undefined;
  /** Headers for the answer; filled by limits, may be added to. */
  headers: Record<string, string>;
  /** Says that the whole request is here: until then a client that sends nothing is cut off. */
  arrived?(): void;
  /** Says that it has become larger by so many bytes than what came in; throws where that is too much for now. */
  grow?(bytes: number): void;
  /** Changes over to a WebSocket, with the headers gathered; throws where the client asked for none, or is gone. */
  upgrade?(end: SocketEnd): Response;
  /** The answer is JSON, which is written at once. */
  whole?: boolean;
  /** Where a route keeps what its answers' headers have in common. */
  lastHeaders?: LastHeaders;
}

/** The same for whoever knows nothing of the call. */
export type Grow = NonNullable<Call['grow']>;

/** The schema of an answer, or a media type and a word about it for answers that are not JSON. */
export type Answer = ZodType | { type: string; description: string };

type Parsed<S extends ZodType | undefined> = S extends ZodType ? z.infer<S> : undefined;
type CallOf<
  A extends AuthKind,
  B extends ZodType | undefined,
  Q extends ZodObject | undefined,
  P extends ZodObject | undefined,
> = Call<A, Parsed<B>, Parsed<Q>, Parsed<P>>;

export interface RouteSpec<
  A extends AuthKind,
  B extends ZodType | undefined,
  Q extends ZodObject | undefined,
  P extends ZodObject | undefined,
> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete' | 'options';
  /** With `{name}` for parameters; `{name+}` takes the rest of the path, slashes included. */
  path: string;
  /** One line for the reference page. */
  summary: string;
  tag: string;
  auth: A;
  /** `null` for none. */
  limit: Limit | null;
  errors: ErrorFormat;
  /** On every answer, errors included. */
  headers?: Readonly<Record<string, string>>;
  /**
   * Body: `json` (default) and `form` parse and check with the schema (`form` takes JSON too); `raw` leaves the request's
   * body to the handler, and the schema is for the reference page only.
   */
  bodyAs?: 'json' | 'form' | 'raw';
  /** Media types of a `raw` body, for the reference page; JSON when absent. */
  bodyTypes?: readonly string[];
  body?: B;
  /** Says of most bodies, at a fraction of the schema's cost, that it takes them as they are; it is asked about the others. */
  fits?(body: unknown): boolean;
  query?: Q;
  params?: P;
  answers: Record<number, Answer>;
  /** Moves money or makes something: takes an Idempotency-Key, and does it once for each. */
  idempotent?: boolean;
  /** The entry of the audit log; `recorded` where the functions below write it. Writes of administrators must say. */
  audit?: AuditRule<CallOf<A, B, Q, P>> | 'recorded';
  /** While it says no, there is no such route. */
  when?(): boolean;
  /** Parameters of the query or of a form that may be given more than once, and are a list then; else none may. */
  repeatable?(name: string): boolean;
  /** Most bytes of a body; default 1 MiB. */
  maxBytes?: number;
  handle(call: CallOf<A, B, Q, P>): Response | Promise<Response>;
}

/** A route with its types forgotten, as the table holds it. */
export type Route = Omit<
  RouteSpec<AuthKind, ZodType | undefined, ZodObject | undefined, ZodObject | undefined>,
  'handle' | 'audit'
> & {
  handle(call: Call): Response | Promise<Response>;
  audit?: AuditRule<Call> | 'recorded';
};

export function defineRoute<
  A extends AuthKind,
  B extends ZodType | undefined = undefined,
  Q extends ZodObject | undefined = undefined,
  P extends ZodObject | undefined = undefined,
>(spec: RouteSpec<A, B, Q, P>): Route {
  // The parser in mount.ts guarantees what the handler's types promise.
  return spec as unknown as Route;
}

/** Finds the caller or throws the error that tells why not. */
export type Authenticator = (call: Call) => Call['principal'] | Promise<Call['principal']>;
export type Authenticators = {
  [A in Exclude<AuthKind, 'none'>]: (call: Call) => Principals[A] | Promise<Principals[A]>;
};

/** JSON answer carrying the headers the call has gathered. */
type Answering = Pick<Call, 'headers' | 'lastHeaders' | 'whole'>;

export function json(call: Answering, value: unknown, status = 200): Response {
  call.whole = true;
  return Response.json(value, { status, headers: call.lastHeaders?.of(call.headers) ?? call.headers });
}

/** The same for what is written as JSON already. */
export function jsonText(call: Answering, text: string | Uint8Array<ArrayBuffer>, status = 200): Response {
  call.whole = true;
  call.headers['content-type'] = 'application/json;charset=utf-8';
  return new Response(text, { status, headers: call.lastHeaders?.of(call.headers) ?? call.headers });
}

/** The same for what may have megabytes, such as vectors and pictures: others get their turn while it is written. */
export async function longJson(call: Answering, value: unknown): Promise<Response> {
  const written = await writeInTurns(value);
  call.whole = true;
  call.headers['content-type'] = 'application/json;charset=utf-8';
  return new Response(written, { headers: call.lastHeaders?.of(call.headers) ?? call.headers });
}

/** `{success: true, data}`, the envelope of management endpoints. */
export const ok = (call: Answering, data: unknown, status = 200): Response =>
  json(call, { success: true, data }, status);

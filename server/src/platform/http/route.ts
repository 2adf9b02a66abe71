import type { ZodObject, ZodType, z } from 'zod';
import type { ErrorFormat } from '../../lib/error-shapes.ts';
import { stringifyYielding } from '../../lib/stringify-yielding.ts';
import type { AuditRule } from './audit-rule.ts';
import type { LastHeaders } from './last-headers.ts';
import type { SocketEnd } from './sockets.ts';

/**
 * Kinds of callers. Each room that can authenticate one adds its kind with `declare module '../platform/http/route.ts'
 * { interface Principals { session: … } }`, and app.ts passes in the authenticator.
 */
export interface Principals {
  none: null;
}
export type AuthKind = keyof Principals;

/** A limit per minute; its value is the runtime option of that name. */
export interface Limit {
  option: string;
  /** What is counted together: the IP address, or the signed-in user or key (the address if there is none). */
  by: 'ip' | 'principal';
}

/** What a handler receives: the parsed request and its authenticated caller. */
export interface Call<A extends AuthKind = AuthKind, B = unknown, Q = unknown, P = unknown> {
  request: Request;
  requestId: string;
  /** The caller's address, behind TRUSTED_PROXIES. */
  ip: string;
  principal: Principals[A];
  body: B;
  query: Q;
  params: P;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
  /** The same for all attempts at one request, if the caller sent an Idempotency-Key. */
  idempotencyId?: number;
  /** Body members given by the path, which override those in the body. */
  members?: Record<string, string> | undefined;
  /** Response headers; rate limits add theirs, handlers may add more. */
  headers: Record<string, string>;
  /** Lifts the idle timeout once the whole request has been received. */
  arrived?(): void;
  /** Once a body has arrived, which may take long: throws or rejects if its caller has lost access meanwhile. */
  stillIn?(): Promise<void> | undefined;
  /** Reports that the request grew by this many bytes in memory; throws if there is no room for it now. */
  grow?(bytes: number): void;
  /** Upgrades to a WebSocket, with the collected headers; throws if the client did not ask for it, or is gone. */
  upgrade?(end: SocketEnd): Response;
  /** The answer is JSON and sent at once. */
  whole?: boolean;
  /** Reuses the route's response headers. */
  lastHeaders?: LastHeaders;
}

/** `Call.grow`, for code that does not know the call. */
export type Grow = NonNullable<Call['grow']>;

/** The schema of a JSON answer, or a description of another one; without a media type it has no body. */
export type Answer = ZodType | { type?: string; description: string };

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
  /** With `{name}` for parameters; `{name+}` takes the rest of the path including slashes. */
  path: string;
  /** One line for the API reference. */
  summary: string;
  tag: string;
  auth: A;
  /** `null`: no limit. */
  limit: Limit | null;
  errors: ErrorFormat;
  /** Other sites send browsers here: who asks for a page gets errors as one. */
  visited?: true;
  /** On every answer, errors included. */
  headers?: Readonly<Record<string, string>>;
  /**
   * `json` (default) and `form` parse the body and validate it with the schema (`form` accepts JSON too); `raw` leaves
   * it to the handler, and the schema only serves the API reference.
   */
  bodyAs?: 'json' | 'form' | 'raw';
  /** Instead of `JSON.parse`. */
  parseJson?: (text: string) => unknown;
  /** Media types of a `raw` body, for the API reference; JSON if absent. */
  bodyTypes?: readonly string[];
  body?: B;
  /** A cheap check that accepts most valid bodies as they are; the others go through the schema. */
  fits?(body: unknown): boolean;
  query?: Q;
  params?: P;
  /** The same of what the path names. */
  fitsParams?(params: Record<string, string>): boolean;
  /** By status; several if the media type depends on the request. */
  answers: Record<number, Answer | readonly Answer[]>;
  /** Throws unless this caller may do it at all: before the body is read, and before an Idempotency-Key counts. */
  permits?(principal: Principals[A]): void;
  /** Moves money or creates something: supports Idempotency-Key. */
  idempotent?: boolean;
  /** The audit entry; `recorded` if deeper functions write it. Required for writes by administrators. */
  audit?: AuditRule<CallOf<A, B, Q, P>> | 'recorded';
  /** While it returns false, the route does not exist. */
  when?(): boolean;
  /** Query or form parameters that may be repeated, giving a list. */
  repeatable?(name: string): boolean;
  /** Maximum body size; default 1 MiB. */
  maxBytes?: number;
  handle(call: CallOf<A, B, Q, P>): Response | Promise<Response>;
}

/** A route with erased types, as stored in the table. */
export type Route = Omit<
  RouteSpec<AuthKind, ZodType | undefined, ZodObject | undefined, ZodObject | undefined>,
  'handle' | 'audit' | 'permits'
> & {
  handle(call: Call): Response | Promise<Response>;
  permits?(principal: Call['principal']): void;
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

/** Finds the caller, or throws the error that says why not. */
export type Authenticator = (call: Call) => Call['principal'] | Promise<Call['principal']>;
export type Authenticators = {
  [A in Exclude<AuthKind, 'none'>]: (call: Call) => Principals[A] | Promise<Principals[A]>;
};

/** A JSON answer with the headers collected by the call. */
type Answering = Pick<Call, 'headers' | 'lastHeaders' | 'whole'>;

export function json(call: Answering, value: unknown, status = 200): Response {
  call.whole = true;
  return Response.json(value, { status, headers: call.lastHeaders?.of(call.headers) ?? call.headers });
}

/** The same for text that is JSON already. */
export function jsonText(call: Answering, text: string | Uint8Array<ArrayBuffer>, status = 200): Response {
  call.whole = true;
  call.headers['content-type'] = 'application/json;charset=utf-8';
  return new Response(text, { status, headers: call.lastHeaders?.of(call.headers) ?? call.headers });
}

/** The same for megabytes, such as vectors and images: yields to the event loop while serializing. */
export async function longJson(call: Answering, value: unknown): Promise<Response> {
  const written = await stringifyYielding(value);
  call.whole = true;
  call.headers['content-type'] = 'application/json;charset=utf-8';
  return new Response(written, { headers: call.lastHeaders?.of(call.headers) ?? call.headers });
}

/** `{success: true, data}`, the envelope of the management API. */
export const ok = (call: Answering, data: unknown, status = 200): Response =>
  json(call, { success: true, data }, status);

/**
 * The service's API, typed by its own OpenAPI document:
 *   get('/api/user/self'), put('/api/tokens/{id}', { path: { id }, body: { name } })
 * Answers come without their `{success, data}` envelope; every failure is an `ApiError`.
 */
import createClient from 'openapi-fetch';
import type { paths } from './api-types.gen.ts';
import { serverText } from './language/server-texts.ts';
import { language, t } from './language/words.ts';
import { loadAllTranslations } from './load-page-group.ts';

export class ApiError extends Error {
  override name = 'ApiError';
  constructor(
    /** 0 if there was no response at all. */
    readonly status: number,
    message: string,
    readonly requestId: string | null,
    /** The machine-readable error code, if the service sends one next to the message. */
    readonly code?: string,
    /** How long the service asks us to wait before retrying (Retry-After); 0 if not given. */
    readonly retryAfterMs = 0,
  ) {
    super(message);
  }
}

/** What a query loaded, unless it has been deleted since: a page must not show it as if it were still there. */
export const stillThere = <Data>({ data, error }: { data: Data | undefined; error: unknown }): Data | undefined =>
  error instanceof ApiError && error.status === 404 ? undefined : data;

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, object> ? P : never;
}[keyof paths];
type OperationOf<P extends keyof paths, M extends Method> = paths[P] extends Record<M, infer O> ? O : never;

type Content<T> = T extends { content: { 'application/json': infer Body } } ? Body : undefined;
type Given<T, K extends string> = K extends keyof T ? (T[K] extends undefined ? unknown : Pick<T, K>) : unknown;
type ParametersOf<O> = O extends { parameters: infer P } ? Given<P, 'path'> & Given<P, 'query'> : unknown;
type BodyOf<O> = O extends { requestBody: infer B }
  ? { body: Content<B> }
  : O extends { requestBody?: infer B }
    ? [NonNullable<B>] extends [never]
      ? unknown
      : { body?: Content<NonNullable<B>> }
    : unknown;
type Options<O> = ParametersOf<O> & BodyOf<O> & { signal?: AbortSignal; idempotencyKey?: string };
type Rest<O> = Record<never, never> extends Options<O> ? [options?: Options<O>] : [options: Options<O>];

type Success<R> = { [S in keyof R & (200 | 201 | 202)]: Content<R[S]> }[keyof R & (200 | 201 | 202)];
type Unwrapped<T> = T extends { data: infer D } ? D : T;
/** Result type of a call: `Result<'/api/user/self', 'get'>` is the user. */
export type Result<P extends keyof paths, M extends Method> =
  OperationOf<P, M> extends { responses: infer R } ? Unwrapped<Success<R>> : never;

const client = createClient<Record<string, never>>({ credentials: 'same-origin' });

let unauthorized: (method: Method, path: string) => void = () => {};
/** Sets the handler for 401 responses; called by main.tsx. */
export function onUnauthorized(handle: typeof unauthorized): void {
  unauthorized = handle;
}

let shownUser: () => number | undefined = () => undefined;
/** Sets whose account this tab shows; called by session.ts. */
export function onAskingForUser(find: typeof shownUser): void {
  shownUser = find;
}
/** The service refuses what is not meant for the user who is logged in now, in another tab. */
export function forShownUser(): Record<string, string> {
  const id = shownUser();
  return id === undefined ? {} : { 'x-svc-user': `${id}` };
}

export type FactorMethod = Result<'/api/user/security', 'get'>['methods'][number];

let stepUp: (methods: FactorMethod[]) => Promise<boolean> = async () => false;
/** Sets how to ask for a fresh second factor; the handler resolves to whether the user proved it. */
export function onStepUp(handle: typeof stepUp): void {
  stepUp = handle;
}

/** True if only a fresh second factor was missing and the user has proven it now: the caller can retry. */
export async function provenSince(status: number, body: unknown): Promise<boolean> {
  if (status !== 403 || !isRecord(body) || body.code !== 'step_up_required') return false;
  return stepUp(body.methods as FactorMethod[]);
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Reads the message from both error shapes of the service: `{success: false, message}` and `{error: {message}}`. */
export function messageOf(body: unknown, fallback: string): string {
  if (!isRecord(body)) return fallback;
  const error = body.error;
  const candidates = [isRecord(error) ? error.message : undefined, body.message, body.error_description, error];
  return candidates.find((text): text is string => typeof text === 'string' && text !== '') ?? fallback;
}

function codeOf(body: unknown): string | undefined {
  if (!isRecord(body)) return undefined;
  const codes = [body.code, isRecord(body.error) ? body.error.code : undefined];
  return codes.find((code) => typeof code === 'string');
}

/** While the service restarts, a proxy in front of it may answer with a text that does not tell users what to do. */
const unsaid = (status: number, words: string): string =>
  [502, 503, 504].includes(status)
    ? t('The service is not responding ({status}). Try again in a minute.', { status: words })
    : t('The server responded with {status}.', { status: words });

/** In seconds. A delay of more than a few weeks overflows `setTimeout`, which then fires at once. */
const longestWaitSeconds = 3600;
function retryAfterMs(headers: Headers): number {
  const seconds = Number(headers.get('retry-after'));
  return seconds > 0 ? 1000 * Math.min(seconds, longestWaitSeconds) : 0;
}

/** Turns a failed response into an `ApiError`. Exported for responses fetched without the client (streams, files). */
export async function errorOf(response: Response, body?: unknown): Promise<ApiError> {
  const parsed = body ?? (await response.json().catch(() => undefined));
  const status = [response.status, response.statusText].filter(Boolean).join(' ');
  const message = messageOf(parsed, unsaid(response.status, status));
  const requestId = response.headers.get('x-request-id');
  return new ApiError(response.status, serverText(message), requestId, codeOf(parsed), retryAfterMs(response.headers));
}

const parsed = (text: unknown): unknown => {
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

interface AnyOptions {
  path?: unknown;
  query?: unknown;
  body?: unknown;
  signal?: AbortSignal;
  idempotencyKey?: string;
}

async function send(method: Method, path: string, options: AnyOptions = {}): Promise<unknown> {
  const { path: names, query, body, signal, idempotencyKey } = options;
  // Cookie-authenticated writes must be sent as JSON even when they have no body.
  const headers =
    method === 'get'
      ? undefined
      : {
          'Content-Type': 'application/json',
          // The language chosen in the app, which may differ from the browser's; the service uses it for mails.
          'Accept-Language': language,
          ...forShownUser(),
          ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
        };
  const init = { params: { path: names, query }, body, signal, headers };
  // The typed signatures below have already checked path and options against `paths`.
  const request = client.request as unknown as (
    method: string,
    path: string,
    init: object,
  ) => Promise<{ data?: unknown; error?: unknown; response: Response }>;
  const answer = await request(method, path, init).catch((cause: unknown) => {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new ApiError(0, t('The server could not be reached. Check the connection and try again.'), null);
  });
  const { status, ok } = answer.response;
  // A message may be shown next, so load all translations first. The initial login check (a GET with 401) shows none.
  if (method !== 'get' || !(ok || status === 401)) await loadAllTranslations();
  if (!ok) {
    if (status === 401) unauthorized(method, path);
    const refusal = parsed(answer.error) ?? null;
    if (await provenSince(status, refusal)) return send(method, path, options);
    throw await errorOf(answer.response, refusal);
  }
  return isRecord(answer.data) && 'data' in answer.data ? answer.data.data : answer.data;
}

const caller =
  <M extends Method>(method: M) =>
  <P extends PathOf<M>>(path: P, ...[options]: Rest<OperationOf<P, M>>) =>
    send(method, path, options as AnyOptions) as Promise<Result<P, M>>;

export const get = caller('get');
export const post = caller('post');
export const put = caller('put');
export const del = caller('delete');

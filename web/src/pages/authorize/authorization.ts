import { ApiError, errorOf, forShownUser, post, provenSince, type Result } from '../../api.ts';
import { t } from '../../language/words.ts';
import { parseSearch } from '../../search-params.ts';
import { queryClient, selfQuery } from '../../session.ts';
import type { Spending } from '../../spending.ts';

export type Asked = Result<'/api/oauth2/authorize', 'get'>;

/** Either the user must decide, or the service has already answered and the browser is redirected. */
export type Authorization = { asked: Asked } | { leaveTo: string };

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const redirectOf = (body: unknown): string | undefined =>
  isRecord(body) && typeof body.redirect_url === 'string' ? body.redirect_url : undefined;

/** Returns the data, or the redirect that reports an error to the application; throws on any other error. */
async function call<T>(address: string, init: RequestInit): Promise<{ data: T } | { leaveTo: string }> {
  const response = await fetch(address, { ...init, headers: { ...init.headers, ...forShownUser() } }).catch((cause) => {
    if (init.signal?.aborted) throw cause;
    throw new ApiError(0, t('The server could not be reached. Check the connection and try again.'), null);
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok && isRecord(body)) return { data: body.data as T };
  const leaveTo = redirectOf(body);
  if (leaveTo) return { leaveTo };
  if (await provenSince(response.status, body)) return call(address, init);
  // The session has ended, or is another user's: refetching the user leads to the login page and back here, or asks
  // that user.
  if (response.status === 401) queryClient.invalidateQueries(selfQuery);
  throw await errorOf(response, body ?? null);
}

/**
 * Reads the authorization request. The query string is forwarded unparsed, so that the service can reject repeated
 * parameters.
 */
export async function readAuthorization(search: string, signal: AbortSignal): Promise<Authorization> {
  const answer = await call<Asked>(`/api/oauth2/authorize${search}`, { signal });
  return 'data' in answer ? { asked: answer.data } : answer;
}

const names = [
  ...['client_id', 'redirect_uri', 'scope', 'state', 'code_challenge', 'code_challenge_method'],
  ...['nonce', 'prompt', 'max_age', 'response_mode', 'request', 'request_uri', 'registration', 'signed_in_after'],
  ...['dpop_jkt', 'resource', 'id_token_hint'],
];

/** Sends the user's decision and returns the redirect to the application. `spending`: set if it requests models. */
export async function decide(
  search: string,
  { approved, spending }: { approved: boolean; spending: Spending | null },
): Promise<string> {
  const given = parseSearch(search);
  // An absent and an empty `state` differ, so only parameters that are present are sent.
  const request = Object.fromEntries(names.filter((name) => name in given).map((name) => [name, given[name]]));
  const answer = await call<{ redirect_url: string }>('/api/oauth2/authorize', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...request, approved, ...(approved && spending) }),
  });
  return 'data' in answer ? answer.data.redirect_url : answer.leaveTo;
}

/**
 * The login page's address for a reauthentication. It leads back to this request, with proof of the new login and any
 * login hint of the application.
 */
export function loginAgain(pathname: string, search: string, signedInAfter: string): string {
  const next = new URLSearchParams(search);
  next.set('signed_in_after', signedInAfter);
  return `/login?${new URLSearchParams({ next: `${pathname}?${next}` })}`;
}

/** Whether `next` is an authorization request that requires a reauthentication. */
export const isLoginAgain = (next: unknown): boolean =>
  typeof next === 'string' &&
  next.startsWith('/oauth2/authorize?') &&
  new URLSearchParams(next.slice(next.indexOf('?'))).has('signed_in_after');

/**
 * Tells the service that the page of a pushed request was opened, because the login that follows may outlast the
 * request's lifetime. Returns true for `prompt=none`, which the address does not contain.
 */
export async function openPushed(search: Record<string, unknown>): Promise<boolean> {
  const { client_id, request_uri } = search;
  if (typeof client_id !== 'string' || typeof request_uri !== 'string') return false;
  const opened = await post('/api/oauth2/authorize/opened', { body: { client_id, request_uri } }).catch(() => null);
  return opened?.silent ?? false;
}

/** `prompt=none`: the service answers without interaction. Null if it returns no redirect. */
export async function answerSilently(search: string): Promise<string | null> {
  const response = await fetch('/api/oauth2/authorize/silent', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(parseSearch(search)),
  }).catch(() => null);
  const body: unknown = await response?.json().catch(() => null);
  const data = isRecord(body) && isRecord(body.data) ? body.data : body;
  return redirectOf(data) ?? null;
}

/** The service never registers these schemes; refusing to navigate to them is defence in depth. */
const runsHere = /^(javascript|data|vbscript|blob|file|about):/i;

/** Replaces this page in the history, so that Back skips the request that was already answered. */
export function leaveTo(url: string): void {
  if (!runsHere.test(url.trim())) window.location.replace(url);
}

/** Describes where an address leads. */
export function destinationOf(uri: string): string {
  const url = URL.parse(uri);
  if (!url) return uri;
  if (/^https?:$/.test(url.protocol)) return url.host;
  return t('an app on this device ({protocol})', { protocol: url.protocol });
}

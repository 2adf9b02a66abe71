import { ApiError, errorOf, post, provenSince, type Result } from '../../api.ts';
import { t } from '../../language/words.ts';
import { parseSearch } from '../../search-params.ts';
import { queryClient, selfQuery } from '../../session.ts';
import type { Spending } from '../../spending.ts';

export type Asked = Result<'/api/oauth2/authorize', 'get'>;

/** Either there is something to decide, or the service has already answered and the browser goes on. */
export type Authorization = { asked: Asked } | { leaveTo: string };

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const redirectOf = (body: unknown): string | undefined =>
  isRecord(body) && typeof body.redirect_url === 'string' ? body.redirect_url : undefined;

/** The answer's data, or the address by which the application hears of a refusal; any other refusal is thrown. */
async function call<T>(address: string, init: RequestInit): Promise<{ data: T } | { leaveTo: string }> {
  const response = await fetch(address, init).catch((cause: unknown) => {
    if (init.signal?.aborted) throw cause;
    throw new ApiError(0, t('The server could not be reached. Check the connection and try again.'), null);
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok && isRecord(body)) return { data: body.data as T };
  const leaveTo = redirectOf(body);
  if (leaveTo) return { leaveTo };
  if (await provenSince(response.status, body)) return call(address, init);
  // The session has ended meanwhile: finding that out leads to the login page and back here.
  if (response.status === 401) queryClient.invalidateQueries(selfQuery);
  throw await errorOf(response, body ?? null);
}

/** What the application asks for. The query goes out as the browser has it: repeated parameters must be seen to be refused. */
export async function readAuthorization(search: string, signal: AbortSignal): Promise<Authorization> {
  const answer = await call<Asked>(`/api/oauth2/authorize${search}`, { signal });
  return 'data' in answer ? { asked: answer.data } : answer;
}

const names = [
  ...['client_id', 'redirect_uri', 'scope', 'state', 'code_challenge', 'code_challenge_method'],
  ...['nonce', 'prompt', 'max_age', 'response_mode', 'request', 'request_uri', 'registration', 'signed_in_after'],
  ...['dpop_jkt', 'resource', 'id_token_hint'],
];

/** The user's answer; gives the address that leads back to the application. `spending` where it asks for models. */
export async function decide(
  search: string,
  { approved, spending }: { approved: boolean; spending: Spending | null },
): Promise<string> {
  const given = parseSearch(search);
  // Absent and empty differ for `state`, so only what is there is sent.
  const request = Object.fromEntries(names.filter((name) => name in given).map((name) => [name, given[name]]));
  const answer = await call<{ redirect_url: string }>('/api/oauth2/authorize', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...request, approved, ...(approved && spending) }),
  });
  return 'data' in answer ? answer.data.redirect_url : answer.leaveTo;
}

/** Where to log in again: the request comes back with what shows that it was done, and the name that the application hinted at. */
export function loginAgain(pathname: string, search: string, signedInAfter: string): string {
  const next = new URLSearchParams(search);
  next.set('signed_in_after', signedInAfter);
  return `/login?${new URLSearchParams({ next: `${pathname}?${next}` })}`;
}

/** Whether that is what somebody is to log in for. */
export const isLoginAgain = (next: unknown): boolean =>
  typeof next === 'string' &&
  next.startsWith('/oauth2/authorize?') &&
  new URLSearchParams(next.slice(next.indexOf('?'))).has('signed_in_after');

/**
 * Tells the service that the page of a pushed request was opened, before a login that may take longer than the request would
 * wait; true when it has `prompt=none`, which the address does not show.
 */
export async function openPushed(search: Record<string, unknown>): Promise<boolean> {
  const { client_id, request_uri } = search;
  if (typeof client_id !== 'string' || typeof request_uri !== 'string') return false;
  const opened = await post('/api/oauth2/authorize/opened', { body: { client_id, request_uri } }).catch(() => null);
  return opened?.silent ?? false;
}

/** `prompt=none`: the service answers without asking; null where it does not know of that. */
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

/** The service never registers these schemes; the page refuses to navigate to them all the same. */
const runsHere = /^(javascript|data|vbscript|blob|file|about):/i;

/** Replaces this page in the history: going back leads to where the user came from, not to a request that was already answered. */
export function leaveTo(url: string): void {
  if (!runsHere.test(url.trim())) window.location.replace(url);
}

/** Where an address leads, in words. */
export function destinationOf(uri: string): string {
  const url = URL.parse(uri);
  if (!url) return uri;
  if (/^https?:$/.test(url.protocol)) return url.host;
  return t('an app on this device ({protocol})', { protocol: url.protocol });
}

import { classifyRefusal } from '../../lib/classify-refusal.ts';
import { readErrorParts } from '../../lib/error-parts.ts';
import { maybeJson } from '../../lib/maybe-json.ts';
import { isLocalExhaustion } from '../../platform/http/local-exhaustion.ts';
import { OutgoingError, type OutgoingFault, openGuarded } from '../../platform/http/outgoing.ts';
import { readAnswer, readRefusal } from '../../platform/http/read-answer.ts';
import { maskSecrets } from '../../platform/log.ts';
import { type Content, type FaultKind, type Io, type Target, UpstreamFault } from './kind.ts';

export interface HttpCall {
  method: 'GET' | 'POST' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  /** Objects are sent as JSON. */
  body?: FormData | object;
}

/** A long video takes a while, but an endless download must not block its worker. */
const downloadMs = 15 * 60_000;
const maxRedirects = 3;
/** A job's status including result URLs. */
const mostJobBytes = 1_048_576;
const maxErrorLength = 500;

/** Sends a request and parses the JSON answer; anything else becomes an UpstreamFault. */
export async function askJson(call: HttpCall, target: Target, io: Io): Promise<unknown> {
  const response = await send(call, target, io, target.timeoutMs);
  if (!response.ok) throw await refusalOf(response, io);
  const text = await guarded(io, () => readAnswer(response, mostJobBytes));
  try {
    return JSON.parse(text);
  } catch {
    throw new UpstreamFault('failure', 'the upstream response is not JSON', response.status);
  }
}

/**
 * Opens a download. Redirects are followed by hand, so that the credential stays with its host, and addresses other
 * than the channel's own go through the SSRF guard, as they come from an answer.
 */
export async function download(url: string, target: Target, io: Io): Promise<Content> {
  let next = url;
  for (let hop = 0; hop <= maxRedirects; hop += 1) {
    const response = isOwn(next, target)
      ? await send({ method: 'GET', url: next }, target, io, downloadMs)
      : await openElsewhere(next, io);
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && location) {
      await response.body?.cancel();
      next = URL.parse(location, next)?.href ?? '';
      if (!/^https?:/.test(next)) break;
      continue;
    }
    if (!response.ok) throw await refusalOf(response, io);
    if (!response.body) throw new UpstreamFault('failure', 'the upstream returned no file', response.status);
    const type = mediaType(response.headers.get('content-type'));
    if (/^video\/[a-z0-9.+-]+$/.test(type)) return { type, bytes: response.body };
    // Otherwise it would be received until the memory is cleaned, once per attempt.
    await response.body.cancel();
    throw new UpstreamFault('failure', `the upstream returned ${type} instead of a video`);
  }
  throw new UpstreamFault('unusable', 'too many redirects from the upstream');
}

const isOwn = (url: string, target: Target): boolean => URL.parse(url)?.origin === new URL(target.baseUrl).origin;

async function openElsewhere(url: string, io: Io): Promise<Response> {
  const request = { url, method: 'GET', headers: {}, timeoutMs: downloadMs, signal: io.signal };
  try {
    const { status, headers, body } = await openGuarded(request, { allowPrivate: io.allowPrivate });
    const bodiless = status === 204 || status === 304;
    if (bodiless) await body.cancel();
    return new Response(bodiless ? null : body, { status, headers });
  } catch (error) {
    io.signal.throwIfAborted();
    const fault = error instanceof OutgoingError ? outgoingFaults[error.fault] : undefined;
    throw new UpstreamFault(fault ?? 'connection', maskSecrets(String(error)));
  }
}

const outgoingFaults: Partial<Record<OutgoingFault, FaultKind>> = {
  invalid_url: 'unusable',
  address_refused: 'unusable',
  timeout: 'timeout',
};

async function send(call: HttpCall, target: Target, io: Io, timeoutMs: number): Promise<Response> {
  const isForm = call.body instanceof FormData;
  const headers: Record<string, string> = {
    ...(isOwn(call.url, target) && target.credential !== '' && { authorization: `Bearer ${target.credential}` }),
    ...(call.body && !isForm && { 'content-type': 'application/json' }),
    ...call.headers,
  };
  const init: BunFetchRequestInit & { timeout?: boolean } = {
    method: call.method,
    headers,
    redirect: 'manual',
    signal: AbortSignal.any([io.signal, AbortSignal.timeout(timeoutMs)]),
    timeout: false,
    ...(call.body && { body: isForm ? (call.body as FormData) : JSON.stringify(call.body) }),
  };
  return guarded(io, () => fetch(call.url, init));
}

/** A shutdown is nobody's fault, and running out of descriptors is ours; other connection errors are the upstream's. */
async function guarded<T>(io: Io, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    io.signal.throwIfAborted();
    const timedOut = error instanceof Error && error.name === 'TimeoutError';
    const kind = timedOut ? 'timeout' : isLocalExhaustion(error) ? 'shortage' : 'connection';
    throw new UpstreamFault(kind, maskSecrets(String(error)));
  }
}

/** Statuses with a specific meaning when polling jobs. */
const kinds: Record<number, FaultKind> = { 404: 'gone', 408: 'timeout', 410: 'gone' };

async function refusalOf(response: Response, io: Io): Promise<UpstreamFault> {
  const text = await guarded(io, () => readRefusal(response));
  const { status } = response;
  const kind = kinds[status] ?? classifyRefusal(status, readErrorParts(maybeJson(text))).kind;
  const seconds = Number(response.headers.get('retry-after'));
  return new UpstreamFault(kind, messageOf(text) ?? `HTTP ${status}`, status, seconds > 0 ? seconds * 1000 : 0);
}

export function messageOf(text: string): string | null {
  const { message } = readErrorParts(maybeJson(text));
  return message ? cleanMessage(message) : null;
}

/** Shown to the caller: short, one line, without credentials. */
export const cleanMessage = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
  maskSecrets(text.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim()).slice(0, maxErrorLength);

/** As it may be served from our own origin: a type that a browser executes must not be. */
function mediaType(header: string | null): string {
  const type = (header ?? '').split(';')[0]!.trim().toLowerCase();
  const isUntold = type === '' || type === 'application/octet-stream' || type === 'binary/octet-stream';
  return isUntold ? 'video/mp4' : type;
}

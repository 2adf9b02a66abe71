import { maskSecrets } from '../../platform/log.ts';
import { type Content, type FaultKind, type Io, type Target, UpstreamFault } from './kind.ts';

export interface HttpCall {
  method: 'GET' | 'POST' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  /** Objects are sent as JSON. */
  body?: FormData | object;
}

/** A whole film takes a while, but a download that never ends must not hold its worker for ever. */
const downloadMs = 15 * 60_000;
const maxRedirects = 3;
const maxErrorLength = 500;

/** Sends and reads a JSON answer; whatever is not one becomes an UpstreamFault. */
export async function askJson(call: HttpCall, target: Target, io: Io): Promise<unknown> {
  const response = await send(call, target, io, target.timeoutMs);
  const text = await guarded(io, () => response.text());
  if (!response.ok) throw faultOf(response, text);
  try {
    return JSON.parse(text);
  } catch {
    throw new UpstreamFault('failure', 'the upstream sent an answer that is not JSON', response.status);
  }
}

/** Opens a download. Redirects are followed by hand, so that the credential stays with the host it belongs to. */
export async function download(url: string, target: Target, io: Io): Promise<Content> {
  let next = url;
  for (let hop = 0; hop <= maxRedirects; hop += 1) {
    const response = await send({ method: 'GET', url: next }, target, io, downloadMs);
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && location) {
      await response.body?.cancel();
      next = new URL(location, next).href;
      if (!/^https?:/.test(next)) break;
      continue;
    }
    if (!response.ok) throw faultOf(response, await guarded(io, () => response.text()));
    if (!response.body) throw new UpstreamFault('failure', 'the upstream sent no file', response.status);
    return { type: mediaType(response.headers.get('content-type')), bytes: response.body };
  }
  throw new UpstreamFault('failure', 'the upstream redirects without end');
}

async function send(call: HttpCall, target: Target, io: Io, timeoutMs: number): Promise<Response> {
  const isForm = call.body instanceof FormData;
  const isOwn = new URL(call.url).origin === new URL(target.baseUrl).origin;
  const headers: Record<string, string> = {
    ...(isOwn && target.credential !== '' && { authorization: `Bearer ${target.credential}` }),
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

/** A process that stops is nobody's fault; everything else on the line is the upstream's. */
async function guarded<T>(io: Io, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    io.signal.throwIfAborted();
    const timedOut = error instanceof Error && error.name === 'TimeoutError';
    throw new UpstreamFault(timedOut ? 'timeout' : 'connection', maskSecrets(String(error)));
  }
}

const kinds: Record<number, FaultKind> = {
  401: 'auth',
  403: 'auth',
  404: 'gone',
  408: 'timeout',
  410: 'gone',
  429: 'busy',
};

function faultOf(response: Response, text: string): UpstreamFault {
  const { status } = response;
  const kind = kinds[status] ?? (status >= 400 && status < 500 ? 'caller' : 'failure');
  const seconds = Number(response.headers.get('retry-after'));
  return new UpstreamFault(kind, messageOf(text) ?? `HTTP ${status}`, status, seconds > 0 ? seconds * 1000 : 0);
}

/** The usual places of a message: `error.message`, `error`, `message`. */
export function messageOf(text: string): string | null {
  let found: unknown;
  try {
    const body = JSON.parse(text) as { error?: unknown; message?: unknown } | null;
    const error = body?.error;
    found =
      typeof error === 'object' && error !== null && 'message' in error ? error.message : (error ?? body?.message);
  } catch {
    return null;
  }
  return typeof found === 'string' && found !== '' ? cleanMessage(found) : null;
}

/** Shown to the caller: short, of one line, and never with a credential in it. */
export const cleanMessage = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
  maskSecrets(text.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim()).slice(0, maxErrorLength);

/** The file is served from our own address, so its type must not be one that a browser would run. */
function mediaType(header: string | null): string {
  const type = (header ?? '').split(';')[0]!.trim().toLowerCase();
  if (/^video\/[a-z0-9.+-]+$/.test(type)) return type;
  if (type === '' || type === 'application/octet-stream' || type === 'binary/octet-stream') return 'video/mp4';
  throw new UpstreamFault('failure', `the upstream sent ${type} instead of a video`);
}

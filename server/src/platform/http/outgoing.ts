import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { isIP, type LookupFunction } from 'node:net';
import { collectBytes } from '../../lib/collect-bytes.ts';
import { openThroughProxy } from './outgoing-proxy.ts';
import { isPublicAddress } from './public-address.ts';

/** Addresses come from users: their answers must not exhaust memory. */
const defaultMaxAnswerBytes = 65_536;

export interface OutgoingRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
  /** For the whole call: DNS, connection, answer and body. */
  timeoutMs: number;
  maxAnswerBytes?: number;
  signal?: AbortSignal;
}

export interface OutgoingAnswer {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array;
  /** The body exceeded the limit and was cut off. */
  truncated: boolean;
}

/** An answer whose body is streamed; the timeout covers the body too. */
export interface OutgoingStream {
  status: number;
  headers: Record<string, string>;
  body: ReadableStream<Uint8Array>;
}

export interface OutgoingPolicy {
  /** Allows private and loopback addresses, for development and closed networks. */
  allowPrivate: boolean;
}

export type OutgoingFault = 'invalid_url' | 'address_refused' | 'timeout' | 'aborted' | 'network';

export class OutgoingError extends Error {
  constructor(
    readonly fault: OutgoingFault,
    message: string,
  ) {
    super(message);
    this.name = 'OutgoingError';
  }
}

export type Resolve = (host: string, done: (error: Error | null, addresses: LookupAddress[]) => void) => void;

const resolveBySystem: Resolve = (host, done) => systemLookup(host, { all: true }, done);

/**
 * Calls a user-supplied address. Follows no redirects (a 3xx is returned as it is), and checks the resolved addresses
 * at connect time, so that a name cannot change between check and use (DNS rebinding).
 */
export async function sendGuarded(
  request: OutgoingRequest,
  policy: OutgoingPolicy,
  resolve: Resolve = resolveBySystem,
): Promise<OutgoingAnswer> {
  const most = request.maxAnswerBytes ?? defaultMaxAnswerBytes;
  const proxied = await openProxied(request, policy, resolve);
  if (!proxied) return call(request, policy, resolve, (answer) => readUpTo(answer, most));
  const reader = proxied.body.getReader();
  const { bytes, whole } = await collectBytes(async () => (await reader.read()).value ?? null, most);
  if (!whole) await reader.cancel();
  return { ...proxied, body: new Uint8Array(bytes), truncated: !whole };
}

/** The same for bodies too large for memory; the reader sets the limit. */
export async function openGuarded(
  request: OutgoingRequest,
  policy: OutgoingPolicy,
  resolve: Resolve = resolveBySystem,
): Promise<OutgoingStream> {
  const proxied = await openProxied(request, policy, resolve);
  if (proxied) return proxied;
  return new Promise((begin, refuse) => {
    let fail: (error: unknown) => void = refuse;
    const stream = (answer: IncomingMessage): Promise<void> =>
      new Promise((over) => {
        const body = streamOf(answer, over, (stop) => {
          fail = stop;
        });
        begin({ status: answer.statusCode ?? 0, headers: flat(answer.headers), body });
      });
    call(request, policy, resolve, stream).catch((error) => fail(error));
  });
}

async function call<T>(
  request: OutgoingRequest,
  policy: OutgoingPolicy,
  resolve: Resolve,
  read: (answer: IncomingMessage) => Promise<T>,
): Promise<T> {
  const url = checkedUrl(request.url, policy);
  const { signal, faultOf } = bounded(request);
  try {
    signal.throwIfAborted();
    return await send(url, request, guardedLookup(policy, resolve), signal, read);
  } catch (error) {
    throw faultOf(error);
  }
}

/** The call's timeout, and why it was aborted. */
function bounded({ timeoutMs, signal: given }: Pick<OutgoingRequest, 'timeoutMs' | 'signal'>) {
  const limit = AbortSignal.timeout(timeoutMs);
  const signal = given ? AbortSignal.any([limit, given]) : limit;
  const faultOf = (error: unknown): OutgoingError => {
    if (error instanceof OutgoingError) return error;
    if (limit.aborted) return new OutgoingError('timeout', `No response within ${timeoutMs} ms.`);
    if (signal.aborted) return new OutgoingError('aborted', 'The call was cancelled.');
    return new OutgoingError('network', error instanceof Error ? error.message : String(error));
  };
  return { signal, faultOf };
}

/** Sends the request through a proxy, after checking the resolved address; null if no proxy applies. */
function openProxied(request: OutgoingRequest, policy: OutgoingPolicy, resolve: Resolve) {
  const url = checkedUrl(request.url, policy);
  const judge = (proxyResolves: boolean) => judged(url, policy, resolve, proxyResolves);
  return openThroughProxy({ ...request, url }, { judge, bounds: () => bounded(request) });
}

/** The address to dial; null for the name itself, if only the proxy can resolve names. */
async function judged(
  { hostname }: URL,
  policy: OutgoingPolicy,
  resolve: Resolve,
  proxyResolves: boolean,
): Promise<string | null> {
  if (isIP(hostname.replace(/^\[|\]$/g, ''))) return null;
  try {
    const [first] = await allowedAddresses(hostname, policy, resolve);
    return proxyResolves ? null : first!.address;
  } catch (error) {
    // The proxy may know names that we cannot resolve; it must refuse internal addresses itself then.
    if (proxyResolves && !(error instanceof OutgoingError)) return null;
    throw error;
  }
}

/** Throws if `sendGuarded` would refuse the address; names are not resolved here. */
export function checkedUrl(text: string, policy: OutgoingPolicy): URL {
  const url = URL.parse(text);
  if (!url) throw new OutgoingError('invalid_url', 'Not a valid URL.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new OutgoingError('invalid_url', 'Only http and https addresses can be called.');
  }
  if (url.username || url.password) {
    throw new OutgoingError('invalid_url', 'The URL must not contain a user name or password.');
  }
  // Literal addresses are not resolved. The URL parser has already normalised forms such as 0x7f.1.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) && !policy.allowPrivate && !isPublicAddress(host)) throw refused(host);
  return url;
}

const refused = (host: string): OutgoingError =>
  new OutgoingError(
    'address_refused',
    `${host} does not resolve to a public address (set ALLOW_PRIVATE_WEBHOOKS=1 to allow private addresses).`,
  );

function guardedLookup(policy: OutgoingPolicy, resolve: Resolve): LookupFunction {
  return (host, options, done) => {
    allowedAddresses(host, policy, resolve).then(
      (addresses) => {
        if (options.all) done(null, addresses);
        else done(null, addresses[0]!.address, addresses[0]!.family);
      },
      (error) => done(error, ''),
    );
  };
}

/** All addresses of a name, each of which may be dialled; rejects otherwise. */
function allowedAddresses(host: string, policy: OutgoingPolicy, resolve: Resolve): Promise<LookupAddress[]> {
  return new Promise((found, refuse) => {
    resolve(host, (error, addresses) => {
      if (error || !addresses?.[0]) return refuse(error ?? new Error(`${host} does not resolve to an address`));
      // A mix of private and public addresses is a rebinding attempt.
      if (!policy.allowPrivate && !addresses.every(({ address }) => isPublicAddress(address)))
        return refuse(refused(host));
      found(addresses);
    });
  });
}

/**
 * The same check for kept connections: they connect to a checked address and stay there, whatever the name resolves to
 * later.
 */
export function guardedDial(
  policy: OutgoingPolicy,
  resolve: Resolve = resolveBySystem,
): (hostname: string) => Promise<string[]> {
  return async (hostname) => {
    if (!isIP(hostname)) return (await allowedAddresses(hostname, policy, resolve)).map(({ address }) => address);
    if (!policy.allowPrivate && !isPublicAddress(hostname)) throw refused(hostname);
    return [hostname];
  };
}

async function send<T>(
  url: URL,
  request: OutgoingRequest,
  lookup: LookupFunction,
  signal: AbortSignal,
  read: (answer: IncomingMessage) => Promise<T>,
): Promise<T> {
  // Loaded on first use: it takes some twenty milliseconds, which would delay startup.
  const { request: start } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'));
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const body = typeof request.body === 'string' ? Buffer.from(request.body) : request.body;
    const headers = { ...request.headers, ...(body && { 'content-length': String(body.byteLength) }) };
    // No agent, so that each call opens a new, checked connection.
    const call = start(url, { method: request.method, headers, lookup, agent: false });
    const giveUp = () => {
      call.destroy();
      reject(signal.reason);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    const done = () => signal.removeEventListener('abort', giveUp);
    call.on('error', (error) => {
      done();
      reject(error);
    });
    call.on('response', (answer) => {
      read(answer)
        .then(resolve, reject)
        .finally(() => {
          done();
          call.destroy();
        });
    });
    call.end(body);
  });
}

function readUpTo(answer: IncomingMessage, maxBytes: number): Promise<OutgoingAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const finish = (truncated: boolean) => {
      const body = new Uint8Array(Buffer.concat(chunks).subarray(0, maxBytes));
      resolve({ status: answer.statusCode ?? 0, headers: flat(answer.headers), body, truncated });
    };
    answer.on('data', (chunk: Uint8Array) => {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size <= maxBytes) return;
      finish(true);
      answer.destroy();
    });
    answer.on('end', () => finish(false));
    answer.on('error', reject);
    answer.on('aborted', () => reject(new Error('the connection closed before the response was complete')));
  });
}

/** The body as a stream; `over` is called when reading ends, `onStart` receives a function that aborts it. */
function streamOf(
  answer: IncomingMessage,
  over: () => void,
  onStart: (stop: (error: unknown) => void) => void,
): ReadableStream<Uint8Array> {
  const pieces = answer[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => onStart((error) => controller.error(error)),
      pull: async (controller) => {
        const { done, value } = await pieces.next().catch((error) => {
          over();
          throw error;
        });
        if (!done) return controller.enqueue(value);
        controller.close();
        over();
      },
      cancel: over,
    },
    { highWaterMark: 0 },
  );
}

const flat = (headers: IncomingMessage['headers']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]));

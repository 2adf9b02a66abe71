import { type OutgoingProxy, proxyFor } from '../../lib/outgoing-proxy.ts';

interface Asked {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body?: string | Uint8Array | undefined;
}

interface Guard {
  /** The address the proxy should dial; null lets the proxy resolve the name. */
  judge(proxyResolves: boolean): Promise<string | null>;
  /** The call's timeout, and the error for a call that was aborted. */
  bounds(): { signal: AbortSignal; faultOf(error: unknown): Error };
}

let way: OutgoingProxy | undefined;

/**
 * Sets the outgoing proxy of this process: one for all calls, like the environment variables that `fetch` reads itself.
 */
export const useOutgoingProxy = (outgoingProxy: OutgoingProxy | undefined): void => {
  way = outgoingProxy;
};

/** Opens the request through the proxy for its address; null if no proxy applies. */
export async function openThroughProxy(asked: Asked, { judge, bounds }: Guard) {
  const proxy = way && proxyFor(way, asked.url);
  if (!proxy) return null;
  const { trusting, proxyResolves } = way!;
  const { signal, faultOf } = bounds();
  try {
    signal.throwIfAborted();
    const address = await within(signal, judge(proxyResolves));
    const answer = await send(asked, { address, proxy, trusting, signal });
    const body = told(answer.body, faultOf);
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body };
  } catch (error) {
    throw faultOf(error);
  }
}

/**
 * If an address is given, the proxy is told that instead of the name, so that it dials exactly what was checked; TLS
 * still verifies the name. Redirects are not followed.
 */
function send(
  { url, method, headers, body }: Asked,
  { address, proxy, trusting, signal }: { address: string | null; proxy: URL; trusting: boolean; signal: AbortSignal },
): Promise<Response> {
  const target = new URL(url);
  if (address !== null) target.hostname = address.includes(':') ? `[${address}]` : address;
  const init: BunFetchRequestInit = {
    ...{ method, signal, redirect: 'manual', keepalive: false, decompress: false, proxy: proxy.href },
    ...(body !== undefined && { body: typeof body === 'string' ? body : new Uint8Array(body) }),
    headers: { 'accept-encoding': 'identity', ...headers, host: url.host },
    tls: { serverName: url.hostname.replace(/^\[|\]$/g, ''), rejectUnauthorized: !trusting },
  };
  return fetch(target, init);
}

/** Rejects as soon as the signal aborts, since a DNS lookup cannot be cancelled. */
function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const left = Promise.withResolvers<never>();
  const leave = () => left.reject(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  return Promise.race([work, left.promise]).finally(() => signal.removeEventListener('abort', leave));
}

/** The body as a stream, with errors mapped by `faultOf`. */
function told(body: ReadableStream<Uint8Array> | null, faultOf: (error: unknown) => Error): ReadableStream<Uint8Array> {
  const pieces = body?.getReader();
  return new ReadableStream(
    {
      pull: async (controller) => {
        const piece = await pieces?.read().catch((error) => {
          throw faultOf(error);
        });
        if (piece?.value) controller.enqueue(piece.value);
        else controller.close();
      },
      cancel: () => pieces?.cancel(),
    },
    { highWaterMark: 0 },
  );
}

import { type Outward, proxyFor } from '../../lib/outward.ts';

interface Asked {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body?: string | Uint8Array | undefined;
}

interface Guard {
  /** The address that the proxy is to dial; null leaves it to the proxy to look the name up. */
  judge(proxyResolves: boolean): Promise<string | null>;
  /** How long the call may take, and what is told where it breaks off. */
  bounds(): { signal: AbortSignal; faultOf(error: unknown): Error };
}

let way: Outward | undefined;

/** How this process leaves for the world: one way for all of it, as for `fetch`, which reads it from the environment itself. */
export const leaveBy = (outward: Outward | undefined): void => {
  way = outward;
};

/** By the proxy that leads to an address; null where none does. */
export async function openByProxy(asked: Asked, { judge, bounds }: Guard) {
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
 * Where an address is given the proxy is told that instead of the name, so that it dials what was looked at; the other side still
 * has to prove that it is who the name says. No redirect is followed.
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

/** Rejects as soon as nobody waits any more: a resolver cannot be told. */
function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const left = Promise.withResolvers<never>();
  const leave = () => left.reject(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  return Promise.race([work, left.promise]).finally(() => signal.removeEventListener('abort', leave));
}

/** The body piece by piece, breaking off with the words of `faultOf`. */
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

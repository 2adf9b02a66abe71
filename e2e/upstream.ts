/** Scripted upstreams that record the requests they get. */
import type { Json } from '../server/src/relay/wire/conversation.ts';
import { freePort } from './service.ts';

export interface Asked {
  method: string;
  /** Including the query string. */
  path: string;
  headers: Headers;
  body: Json;
  /** The caller disconnected before the answer was complete. */
  aborted: boolean;
  /** Number of stream pieces sent. */
  sent: number;
}

export type Script = (asked: Asked) => Response | Promise<Response>;

export interface Upstream {
  /** Without a version segment. */
  readonly url: string;
  readonly asked: Asked[];
  /** The last request. */
  last(): Asked;
  /** May be replaced at any time. */
  script: Script;
  stop(): void;
}

export function startUpstream(script: Script): Upstream {
  const asked: Asked[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    maxRequestBodySize: 256 * 1024 * 1024,
    // Streams are cut on purpose, so do not log their errors.
    development: false,
    error: () => new Response(null, { status: 500 }),
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      const isJson = request.headers.get('content-type')?.includes('json');
      const one: Asked = {
        method: request.method,
        path: pathname + search,
        headers: request.headers,
        body: isJson ? ((await request.json()) as Json) : {},
        aborted: false,
        sent: 0,
      };
      request.signal.addEventListener('abort', () => {
        one.aborted = true;
      });
      asked.push(one);
      return upstream.script(one);
    },
  });
  const upstream: Upstream = {
    url: `http://127.0.0.1:${server.port}`,
    asked,
    last: () => asked.at(-1)!,
    script,
    stop: () => void server.stop(true),
  };
  return upstream;
}

export interface Pace {
  /** Delay between pieces. */
  everyMs?: number;
  firstAfterMs?: number;
  /** Breaks the connection after this many pieces. */
  cutAfter?: number;
  /** Ends the stream early, but cleanly, after this many pieces. */
  endAfter?: number;
  /** Sends nothing more after this many pieces, and keeps the connection open. */
  stallAfter?: number;
  headers?: Record<string, string>;
}

const encoder = new TextEncoder();

/** Sends pieces as an event stream, with the given pace and ending. */
export function events(asked: Asked, pieces: Iterable<string>, pace: Pace = {}): Response {
  const { everyMs = 0, firstAfterMs = 0, cutAfter = -1, endAfter = -1, stallAfter = -1 } = pace;
  const rest = pieces[Symbol.iterator]();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (asked.sent === 0 && firstAfterMs > 0) await Bun.sleep(firstAfterMs);
        else if (everyMs > 0) await Bun.sleep(everyMs);
        if (asked.sent === stallAfter) await new Promise(() => {});
        if (asked.sent === cutAfter) {
          // Earlier pieces must be on the wire first, or there is nothing to cut.
          await Bun.sleep(40);
          return controller.error(new Error('cut'));
        }
        const next = rest.next();
        if (next.done || asked.sent === endAfter) return controller.close();
        asked.sent += 1;
        controller.enqueue(encoder.encode(next.value));
      },
      cancel() {
        asked.aborted = true;
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { 'content-type': 'text/event-stream', ...pace.headers } });
}

export const refuse = (status: number, body: unknown = {}, headers: Record<string, string> = {}): Response =>
  Response.json(body, { status, headers });

/** Never sends response headers. */
export const silence = (): Promise<Response> => new Promise(() => {});

export const nobodyListens = (): string => `http://127.0.0.1:${freePort()}`;

/** Accepts the request and resets the connection. */
export function startResetting(): { url: string; stop(): void } {
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { data: (socket) => socket.terminate() },
  });
  return { url: `http://127.0.0.1:${listener.port}`, stop: () => listener.stop(true) };
}

import { ssePing, sseType } from '../../lib/sse.ts';
import type { Call } from './route.ts';

/** Proxies and clients drop idle connections after 30 to 60 s. */
export const pingAfterMs = 15_000;
/** Bytes written before waiting for the reader: the most a slow reader can make us buffer. */
const aheadBytes = 32_768;

const encoder = new TextEncoder();

const eventHeaders = {
  'content-type': sseType,
  'cache-control': 'no-cache, no-transform',
  // Otherwise nginx buffers events.
  'x-accel-buffering': 'no',
};

/** Writes to the client. Returns a promise if the client has to drain first. */
export type Write = (bytes: Uint8Array | string) => unknown;

/** Converts events to another format that the client asked for, or can read. */
export interface Reshape {
  /** Media type. */
  type: string;
  /** Gets one write: an event or several, or a comment by itself. */
  push(events: Uint8Array | string): Uint8Array | string;
  /** Written after the last event. */
  end(): string;
}

const headersOf = (headers: Record<string, string>, reshape: Reshape | undefined): Record<string, string> => ({
  ...headers,
  ...eventHeaders,
  ...(reshape && { 'content-type': reshape.type }),
});

/** Writes all of its events once the client starts reading. */
export interface EventSource {
  pump(write: Write): Promise<unknown>;
}

/** The controller that Bun passes to the pull function of a direct stream. */
interface DirectController {
  write(bytes: Uint8Array | string): number;
  flush(wait?: boolean): Promise<unknown> | number;
  close(): void;
}

/** A direct stream is the cheapest per event, and awaiting its flush gives back-pressure. */
export function eventResponse(
  headers: Record<string, string>,
  source: EventSource,
  broken: (error: unknown) => void,
  reshape?: Reshape,
): Response {
  const pull = async (controller: unknown): Promise<void> => {
    const out = controller as DirectController;
    try {
      let ahead = 0;
      await source.pump((events) => {
        const bytes = reshape ? reshape.push(events) : events;
        out.write(bytes);
        ahead += bytes.length;
        if (ahead < aheadBytes) return undefined;
        ahead = 0;
        return out.flush(true);
      });
      if (reshape) out.write(reshape.end());
    } catch (error) {
      broken(error);
    }
    close(out);
  };
  // A Bun-specific stream type, unknown to the DOM's types.
  const body = new ReadableStream({ type: 'direct', pull } as unknown as UnderlyingDefaultSource<Uint8Array>);
  return new Response(body, { headers: headersOf(headers, reshape) });
}

/** Writes comments until the returned function is called. */
export function keepAlive(write: Write, everyMs = pingAfterMs): () => void {
  const timer = setInterval(() => void Promise.resolve(write(ssePing)).catch(() => {}), everyMs);
  return () => clearInterval(timer);
}

/**
 * A client that reads nothing for this long is considered dead. Shorter than the patience of a model's stream, so that
 * work on top of one learns here that its client is gone.
 */
const patienceMs = 120_000;

/** Events of work that runs independently of its client, with back-pressure. */
export interface EventStream {
  readonly response: Response;
  readonly write: Write;
  /** Aborted when the client disconnects or stops reading; later writes are discarded. */
  readonly left: AbortSignal;
  end(): void;
}

/**
 * Can be written to before the client reads. A slow client makes the work wait, since cutting the answer off would lose
 * what was paid for; a dead one is dropped, as the work may hold money or a session meanwhile.
 */
export function openEventStream({ headers, signal }: Pick<Call, 'headers' | 'signal'>, reshape?: Reshape): EventStream {
  const gone = new AbortController();
  const left = AbortSignal.any([signal, gone.signal]);
  const leave = () => gone.abort(new Error('the client disconnected'));
  let out!: ReadableStreamDefaultController<Uint8Array>;
  let open = true;
  let stopPings: (() => void) | undefined;
  let taken: PromiseWithResolvers<void> | undefined;
  let patience: Timer | undefined;
  const resume = (): void => {
    clearTimeout(patience);
    taken?.resolve();
    taken = undefined;
  };
  const write: Write = (events) => {
    if (!open) return undefined;
    const bytes = reshape ? reshape.push(events) : events;
    stopPings ??= keepAlive((ping) => (taken ? undefined : write(ping)));
    out.enqueue(typeof bytes === 'string' ? encoder.encode(bytes) : bytes);
    if (taken || out.desiredSize! > 0) return taken?.promise;
    taken = Promise.withResolvers();
    patience = setTimeout(leave, patienceMs);
    return taken.promise;
  };
  const end = (): void => {
    if (!open) return;
    open = false;
    stopPings?.();
    resume();
    if (reshape && !left.aborted) out.enqueue(encoder.encode(reshape.end()));
    close(out);
  };
  const start = (controller: typeof out) => {
    out = controller;
  };
  const ahead = new ByteLengthQueuingStrategy({ highWaterMark: aheadBytes });
  const body = new ReadableStream<Uint8Array>({ start, pull: resume, cancel: leave }, ahead);
  if (left.aborted) end();
  else left.addEventListener('abort', end, { once: true });
  return { response: new Response(body, { headers: headersOf(headers, reshape) }), write, left, end };
}

function close(stream: { close(): void }): void {
  try {
    stream.close();
  } catch {
    // The client is gone, so there is nothing to close.
  }
}

import { ssePing } from '../../lib/sse.ts';
import type { Call } from './route.ts';

/** Proxies and clients give a silent connection up after 30 to 60 s. */
export const pingAfterMs = 15_000;
/** Written to a connection before its reader is waited for; what a slow one can make us keep. */
const aheadBytes = 32_768;

const encoder = new TextEncoder();

const eventHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // nginx would otherwise gather events before passing them on.
  'x-accel-buffering': 'no',
};

/** Hands something to the reader. Gives a promise when the reader has to be waited for before there is more. */
export type Write = (bytes: Uint8Array | string) => unknown;

/** Events as something else, for readers who asked for that. */
export interface Reshape {
  /** Media type. */
  type: string;
  push(events: Uint8Array | string): string;
  /** What comes after the last of them. */
  end(): string;
}

const headersOf = (headers: Record<string, string>, reshape: Reshape | undefined): Record<string, string> => ({
  ...headers,
  ...eventHeaders,
  ...(reshape && { 'content-type': reshape.type }),
});

/** What writes its events to their end once somebody reads. */
export interface EventSource {
  pump(write: Write): Promise<unknown>;
}

/** What Bun hands to the pull function of a direct stream. */
interface DirectController {
  write(bytes: Uint8Array | string): number;
  flush(wait?: boolean): Promise<unknown> | number;
  close(): void;
}

/** A direct stream costs least per event, and waiting for its flush lets a slow reader slow the source down. */
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
  // Bun's own kind of stream; the DOM's types do not know it.
  const body = new ReadableStream({ type: 'direct', pull } as unknown as UnderlyingDefaultSource<Uint8Array>);
  return new Response(body, { headers: headersOf(headers, reshape) });
}

/** Comments, until the function that is given back is called. */
export function keepAlive(write: Write, everyMs = pingAfterMs): () => void {
  const timer = setInterval(() => void Promise.resolve(write(ssePing)).catch(() => {}), everyMs);
  return () => clearInterval(timer);
}

/**
 * A reader that takes nothing for this long is dead, though its connection says nothing of it. Less than a model's stream
 * waits for its reader, so that work with such a stream behind it learns here that nobody listens.
 */
const patienceMs = 120_000;

/** Events of work that goes on by itself, at the pace of its reader. */
export interface EventStream {
  readonly response: Response;
  readonly write: Write;
  /** Aborted when the reader leaves or takes nothing any more; what is written then goes nowhere. */
  readonly left: AbortSignal;
  end(): void;
}

/**
 * Can be written to before anybody reads. A slow reader makes the work wait, since cutting the answer off would lose what was
 * paid for; only one that is as good as dead is given up, as the work may hold money or a session meanwhile.
 */
export function openEventStream({ headers, signal }: Pick<Call, 'headers' | 'signal'>, reshape?: Reshape): EventStream {
  const gone = new AbortController();
  const left = AbortSignal.any([signal, gone.signal]);
  const leave = () => gone.abort(new Error('the client left'));
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
    // The reader is gone; there is nothing left to close.
  }
}

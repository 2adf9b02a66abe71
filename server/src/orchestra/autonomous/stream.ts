import { ssePing } from '../../lib/sse.ts';
import type { Call } from '../../platform/http/route.ts';
import type { Tails } from './tails.ts';

/** What Bun hands to the pull function of a direct stream. */
interface DirectController {
  write(bytes: Uint8Array | string): number;
  flush(wait?: boolean): Promise<unknown> | number;
  close(): void;
}

const eventStream = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // nginx would otherwise gather events before passing them on.
  'x-accel-buffering': 'no',
};

/** The events after `seq` to one reader; waiting for each flush keeps a slow reader from filling memory. */
export function streamEvents(
  tails: Tails,
  call: Pick<Call, 'signal' | 'headers'>,
  sessionRef: number,
  seq: number,
  warn: (message: string, error: unknown) => void,
): Response {
  const left = new AbortController();
  const body = new ReadableStream({
    type: 'direct',
    pull: async (controller: unknown) => {
      const out = controller as DirectController;
      try {
        // The head of the answer leaves with the first byte, which must not wait for the next event.
        out.write(ssePing);
        await out.flush(true);
        await tails.read(sessionRef, seq, AbortSignal.any([call.signal, left.signal]), (bytes) => {
          out.write(bytes);
          return out.flush(true);
        });
      } catch (error) {
        if (!call.signal.aborted && !left.signal.aborted) warn('an event stream broke off', error);
      }
      try {
        out.close();
      } catch {
        // The reader is gone; there is nothing left to close.
      }
    },
    cancel: () => left.abort(),
    // Bun's own kind of stream; the DOM's types do not know it.
  } as unknown as UnderlyingDefaultSource<Uint8Array>);
  return new Response(body, { headers: { ...call.headers, ...eventStream } });
}

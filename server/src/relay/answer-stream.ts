import type { Call } from '../platform/http/route.ts';
import type { RelayDeps } from './deps.ts';
import type { OpenStream } from './stream.ts';

/** What Bun hands to the pull function of a direct stream. */
interface DirectController {
  write(bytes: Uint8Array): number;
  flush(wait?: boolean): Promise<unknown> | number;
  close(): void;
}

const eventStream = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // nginx would otherwise gather events before passing them on.
  'x-accel-buffering': 'no',
};

/** A direct stream flushed per event costs least, and waiting for the flush lets a slow reader slow the upstream down. */
export function answerStream(deps: RelayDeps, call: Call<'apiKey'>, stream: OpenStream): Response {
  const body = new ReadableStream({
    type: 'direct',
    pull: async (controller: unknown) => {
      const out = controller as DirectController;
      try {
        await stream.pump((bytes) => {
          out.write(bytes);
          return out.flush(true);
        });
      } catch (error) {
        deps.log.error({ requestId: call.requestId, error }, 'a stream could not be finished');
      }
      try {
        out.close();
      } catch {
        // The client is gone; there is nothing left to close.
      }
    },
    // Bun's own kind of stream; the DOM's types do not know it.
  } as unknown as UnderlyingDefaultSource<Uint8Array>);
  return new Response(body, { headers: { ...call.headers, ...eventStream } });
}

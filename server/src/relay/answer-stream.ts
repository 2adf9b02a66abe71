import type { Call } from '../platform/http/route.ts';
import type { RelayDeps } from './deps.ts';
import type { OpenStream } from './pump.ts';

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

export const answerStream = (deps: RelayDeps, call: Call<'apiKey'>, stream: OpenStream): Response =>
  new Response(bodyOf(deps, call.requestId, stream), { headers: { ...call.headers, ...eventStream } });

/** A direct stream flushed per event costs least, and waiting for the flush lets a slow reader slow the upstream down. */
function bodyOf(deps: RelayDeps, requestId: string, stream: OpenStream): ReadableStream<Uint8Array> {
  const pull = async (controller: unknown): Promise<void> => {
    const out = controller as DirectController;
    try {
      await stream.pump((bytes) => {
        out.write(bytes);
        return out.flush(true);
      });
    } catch (error) {
      deps.log.error({ requestId, error }, 'a stream could not be finished');
    }
    try {
      out.close();
    } catch {
      // The client is gone; there is nothing left to close.
    }
  };
  // Bun's own kind of stream; the DOM's types do not know it.
  return new ReadableStream({ type: 'direct', pull } as unknown as UnderlyingDefaultSource<Uint8Array>);
}

import { ssePing } from '../lib/sse.ts';
import type { Call } from '../platform/http/route.ts';
import type { RelayDeps } from './deps.ts';
import { type OpenStream, pingAfterMs } from './pump.ts';
import { ClientLeft } from './try-candidates.ts';

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

/**
 * The answer once its first byte is there, so that what goes wrong before has a status of its own. A model that thinks
 * for longer than connections stay open in silence gets its head sent early, with comments until the first byte.
 */
export async function answerStream(
  deps: RelayDeps,
  call: Call<'apiKey'>,
  opening: Promise<OpenStream>,
  renderFailure: (thrown: unknown) => string,
  patienceMs = pingAfterMs,
): Promise<Response> {
  const stream = await within(opening, patienceMs);
  // Should nobody ever read the body, a failure to come is nobody's news.
  if (!stream) opening.catch(() => {});
  if (stream) call.headers['x-svc-provider'] = stream.candidate.channel.provider;
  const body = bodyOf(deps, call.requestId, stream ?? waiting(opening, renderFailure, patienceMs));
  return new Response(body, { headers: { ...call.headers, ...eventStream } });
}

/** What is opened, or null when it takes longer. */
async function within<T>(opening: Promise<T>, ms: number): Promise<T | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(resolve, ms, null);
  try {
    return await Promise.race([opening, late]);
  } finally {
    clearTimeout(timer);
  }
}

type Write = (bytes: Uint8Array | string) => unknown;

interface Carried {
  pump(write: Write): Promise<unknown>;
}

const waiting = (
  opening: Promise<OpenStream>,
  renderFailure: (thrown: unknown) => string,
  everyMs: number,
): Carried => ({
  pump: async (write) => {
    const ping = () => void Promise.resolve(write(ssePing)).catch(() => {});
    ping();
    const pings = setInterval(ping, everyMs);
    let stream: OpenStream;
    try {
      stream = await opening;
    } catch (error) {
      if (!(error instanceof ClientLeft)) await write(renderFailure(error));
      return;
    } finally {
      clearInterval(pings);
    }
    await stream.pump(write);
  },
});

/** Written to a connection before its reader is waited for; what a slow one can make us keep. */
const aheadBytes = 32_768;

/** A direct stream flushed per event costs least, and waiting for the flush lets a slow reader slow the upstream down. */
function bodyOf(deps: RelayDeps, requestId: string, stream: Carried): ReadableStream<Uint8Array> {
  const pull = async (controller: unknown): Promise<void> => {
    const out = controller as DirectController;
    try {
      let ahead = 0;
      await stream.pump((bytes) => {
        out.write(bytes);
        ahead += bytes.length;
        if (ahead < aheadBytes) return undefined;
        ahead = 0;
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

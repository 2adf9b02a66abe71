import { ssePing } from '../lib/sse.ts';
import {
  type EventSource,
  eventResponse,
  keepAlive,
  pingAfterMs,
  type Reshape,
  type Write,
} from '../platform/http/event-stream.ts';
import type { Candidate } from '../routing/candidate.ts';
import type { RelayDeps } from './deps.ts';
import type { KeyCall } from './request-context.ts';
import { ClientLeft } from './try-candidates.ts';

export interface OpenStream {
  candidate: Candidate;
  pump(write: Write): Promise<unknown>;
}

interface StreamManner {
  /** How long its reader is left in silence. */
  patienceMs?: number;
  reshape?: Reshape | undefined;
}

/**
 * The answer once its first byte is there, so that what goes wrong before has a status of its own. A model that thinks
 * for longer than connections stay open in silence gets its head sent early, with comments until the first byte.
 */
export async function answerStream(
  deps: RelayDeps,
  call: KeyCall,
  opening: Promise<OpenStream>,
  renderFailure: (thrown: unknown) => string,
  { patienceMs = pingAfterMs, reshape }: StreamManner = {},
): Promise<Response> {
  call.arrived?.();
  const stream = await within(opening, patienceMs);
  // Should nobody ever read the body, a failure to come is nobody's news.
  if (!stream) opening.catch(() => {});
  if (stream) call.headers['x-svc-provider'] = stream.candidate.channel.provider;
  // Not the call itself, which would be kept with the whole request for as long as the stream is open.
  const { requestId } = call;
  const broken = (error: unknown) => deps.log.error({ requestId, error }, 'a stream could not be finished');
  return eventResponse(call.headers, stream ?? waiting(opening, renderFailure, patienceMs), broken, reshape);
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

const waiting = (
  opening: Promise<OpenStream>,
  renderFailure: (thrown: unknown) => string,
  everyMs: number,
): EventSource => ({
  pump: async (write) => {
    write(ssePing);
    const stopPings = keepAlive(write, everyMs);
    let stream: OpenStream;
    try {
      stream = await opening;
    } catch (error) {
      if (!(error instanceof ClientLeft)) await write(renderFailure(error));
      return;
    } finally {
      stopPings();
    }
    await stream.pump(write);
  },
});

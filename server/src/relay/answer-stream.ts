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
  /** How long the client may wait without receiving a byte. */
  patienceMs?: number;
  reshape?: Reshape | undefined;
}

/**
 * Answers once the first byte is there, so that earlier failures still get a status code of their own. If the model
 * thinks for longer than idle connections survive, the head is sent early, followed by comments until the first byte.
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
  // If the body is never read, a later failure must not become an unhandled rejection.
  if (!stream) opening.catch(() => {});
  if (stream) call.headers['x-svc-provider'] = stream.candidate.channel.provider;
  // Captures the id only: the call would keep the whole request in memory while the stream is open.
  const { requestId } = call;
  const broken = (error: unknown) => deps.log.error({ requestId, error }, 'could not finish a stream');
  return eventResponse(call.headers, stream ?? waiting(opening, renderFailure, patienceMs), broken, reshape);
}

/** The result, or null if it takes longer than `ms`. */
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

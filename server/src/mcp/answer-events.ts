import { isObject } from '../lib/is-object.ts';
import { SseParser } from '../lib/sse.ts';
import { OutgoingError } from '../platform/http/outgoing.ts';
import { McpFault } from './fault.ts';

/** Answers are read up to this size; larger ones are rejected rather than passed to a model. */
export const mostAnswerBytes = 1024 * 1024;

export const tooLarge = `its response is larger than ${mostAnswerBytes / 1024 / 1024} MiB`;
const endedEarly = 'it closed the connection before responding';

/** Opens what is left of a stream after an event; null if it cannot be had. */
export type Resume = (
  after: string,
  waitMs: number,
  leaving: AbortSignal,
) => Promise<ReadableStream<Uint8Array> | null>;

export function toFault(error: unknown): McpFault {
  if (error instanceof McpFault) return error;
  if (!(error instanceof OutgoingError)) return new McpFault(endedEarly);
  if (error.fault === 'timeout' || error.fault === 'aborted') return new McpFault('it did not respond in time');
  const words = error.fault === 'network' ? 'it could not be reached' : 'its address is not allowed';
  return new McpFault(words, `${words}: ${error.message}`);
}

/** How long a server wants to be left alone before a client comes back, unless it says so, and at least. */
const [usualPauseMs, leastPauseMs] = [1_000, 250];
const saidPause = /(?:^|[\r\n])retry: ?(\d{1,6})[\r\n]/;

/**
 * Forwards events until the answer arrives; if the stream ends without one and cannot be resumed, adds an error for the
 * request, because the library would wait until its timeout. The stream is closed after the answer: nothing waits for
 * later events, and a server that keeps it open would occupy a connection per call.
 */
export function boundedEvents(
  body: ReadableStream<Uint8Array>,
  id: unknown,
  resume?: Resume,
): ReadableStream<Uint8Array> {
  const leaving = new AbortController();
  let reader = body.getReader();
  let left = mostAnswerBytes;
  let events = new SseParser(mostAnswerBytes);
  let last = '';
  let pauseMs = usualPauseMs;
  const hasAnswered = (piece: Uint8Array) => {
    const found = events.push(piece);
    last = found.findLast((event) => event.id)?.id ?? last;
    pauseMs = Number(saidPause.exec(Buffer.from(piece).toString('latin1'))?.[1] ?? pauseMs);
    return found.some(({ data }) => isAnswerTo(id, data));
  };
  const end = (controller: ReadableStreamDefaultController<Uint8Array>, message: string) => {
    const error = { jsonrpc: '2.0', id, error: { code: streamFault, message } };
    // The previous line may be an incomplete event.
    controller.enqueue(new TextEncoder().encode(`\n\ndata: ${JSON.stringify(error)}\n\n`));
    controller.close();
  };
  const isResumed = async (): Promise<boolean> => {
    if (last === '') return false;
    const rest = await resume?.(last, Math.max(leastPauseMs, pauseMs), leaving.signal).catch(() => null);
    if (!rest) return false;
    reader = rest.getReader();
    events = new SseParser(mostAnswerBytes);
    return true;
  };
  return new ReadableStream({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read().catch(brokenOff);
        // An incomplete event ends here; the server sends it again.
        if (done) return (await isResumed()) ? controller.enqueue(blankLine) : end(controller, endedEarly);
        left -= value.byteLength;
        if (left >= 0) {
          controller.enqueue(value);
          if (!hasAnswered(value)) return;
          controller.close();
          return await reader.cancel();
        }
        end(controller, tooLarge);
        await reader.cancel();
      } catch (error) {
        end(controller, toFault(error).message);
      }
    },
    cancel: () => {
      leaving.abort();
      return reader.cancel();
    },
  });
}

const blankLine = new TextEncoder().encode('\n\n');

/** A connection that breaks ends the stream; a time limit, or a fault that we found, ends the call. */
function brokenOff(error: unknown): { done: true; value: undefined } {
  const isBroken = error instanceof OutgoingError ? error.fault === 'network' : !(error instanceof McpFault);
  if (!isBroken) throw error;
  return { done: true, value: undefined };
}

function isAnswerTo(id: unknown, data: string): boolean {
  try {
    const message = JSON.parse(data) as unknown;
    return isObject(message) && message.id === id && message.method === undefined;
  } catch {
    return false;
  }
}

/** In the range that JSON-RPC reserves for implementations; no server in the specification uses it. */
export const streamFault = -32_099;

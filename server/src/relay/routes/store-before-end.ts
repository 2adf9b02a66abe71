import { AppError } from '../../lib/errors.ts';
import { ssePing } from '../../lib/sse.ts';
import type { Log } from '../../platform/log.ts';
import type { OpenStream } from '../answer-stream.ts';
import type { Json } from '../wire/conversation.ts';

const encoder = new TextEncoder();

/** Stores a response for follow-up requests; returns its text, if one was made. */
export type StoreResponse = (response: Json) => Promise<string | null>;

const notKept = 'could not store a response';
const dataLine = '\ndata: ';

/** A paid answer is delivered even if it cannot be stored; the client is told that it was not. */
const notStored = (response: Json): Json => ({ ...response, store: false });

/** Like `StoreBeforeEnd`, for a whole response. Null if it has no text yet. */
export async function storedText(
  keep: StoreResponse,
  log: Log,
  requestId: string,
  response: Json,
): Promise<string | null> {
  try {
    return await keep(response);
  } catch (error) {
    if (!(error instanceof AppError)) log.error({ requestId, error }, notKept);
    return JSON.stringify(notStored(response));
  }
}

/** A streamed response is stored before its end is sent: the next request may reach another process at once. */
export class StoreBeforeEnd {
  #ended: Json | undefined;
  /** Resolves when the end has been written. */
  settled: Promise<void> | undefined;

  constructor(
    readonly keep: StoreResponse,
    readonly log: Log,
    readonly requestId: string,
  ) {}

  /** The next bytes, except for pings, end with this response. */
  readonly onEnded = (response: Json): void => {
    this.#ended = response;
  };

  stream(open: OpenStream): OpenStream {
    return { candidate: open.candidate, pump: (write) => open.pump(this.through(write)) };
  }

  through(write: (out: Uint8Array) => unknown): (bytes: Uint8Array | string) => unknown {
    return (bytes) => {
      const ended = this.#ended;
      const out = typeof bytes === 'string' ? encoder.encode(bytes) : bytes;
      if (!ended || out.length === ssePing.length) return write(out);
      this.#ended = undefined;
      let taken: unknown;
      this.settled = this.#out(ended, out).then((last) => {
        taken = write(last);
      });
      return this.settled.then(() => taken);
    };
  }

  async #out(ended: Json, bytes: Uint8Array): Promise<Uint8Array> {
    try {
      await this.keep(ended);
      return bytes;
    } catch (error) {
      if (!(error instanceof AppError)) this.log.error({ requestId: this.requestId, error }, notKept);
      return endNotStored(bytes);
    }
  }
}

/** The same end, saying that the response was not stored. */
function endNotStored(bytes: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(bytes);
  // JSON contains no line breaks, so the last event starts here.
  const from = text.lastIndexOf(dataLine) + dataLine.length;
  const event = JSON.parse(text.slice(from)) as { response: Json };
  return encoder.encode(
    `${text.slice(0, from)}${JSON.stringify({ ...event, response: notStored(event.response) })}\n\n`,
  );
}

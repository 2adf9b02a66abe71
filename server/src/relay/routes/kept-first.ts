import { AppError } from '../../lib/errors.ts';
import { ssePing } from '../../lib/sse.ts';
import type { Log } from '../../platform/log.ts';
import type { OpenStream } from '../answer-stream.ts';
import type { Json } from '../wire/conversation.ts';

const encoder = new TextEncoder();

/** Keeps a response for those that build on it; returns its text, if one was made. */
export type Keep = (response: Json) => Promise<string | null>;

const notKept = 'a response could not be kept';
const dataLine = '\ndata: ';

/** What is paid for is answered, also where it cannot be kept; whoever would build on it is told. */
const notStored = (response: Json): Json => ({ ...response, store: false });

/** As `KeptFirst`, of a response that is sent whole. Null where there is no text of it yet. */
export async function keptText(keep: Keep, log: Log, requestId: string, response: Json): Promise<string | null> {
  try {
    return await keep(response);
  } catch (error) {
    if (!(error instanceof AppError)) log.error({ requestId, error }, notKept);
    return JSON.stringify(notStored(response));
  }
}

/** Nobody has the end of a streamed response before it is kept: the next request may come from another process at once. */
export class KeptFirst {
  #ended: Json | undefined;
  /** Resolves when the end has been written. */
  settled: Promise<void> | undefined;

  constructor(
    readonly keep: Keep,
    readonly log: Log,
    readonly requestId: string,
  ) {}

  /** What is written next, but for signs of life, ends with this response. */
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

/** The same end, of a response that says that it is not there to be built on. */
function endNotStored(bytes: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(bytes);
  // No line break stands inside JSON, so this is where the last event's begins.
  const from = text.lastIndexOf(dataLine) + dataLine.length;
  const event = JSON.parse(text.slice(from)) as { response: Json };
  return encoder.encode(
    `${text.slice(0, from)}${JSON.stringify({ ...event, response: notStored(event.response) })}\n\n`,
  );
}

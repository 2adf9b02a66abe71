import { ssePing } from '../../lib/sse.ts';
import type { Log } from '../../platform/log.ts';
import type { OpenStream } from '../answer-stream.ts';
import type { Json } from '../wire/conversation.ts';

const encoder = new TextEncoder();

/** Keeps a response for those that build on it; returns its text, if one was made. */
export type Keep = (response: Json) => Promise<string | null>;

/** Nobody has the end of a streamed response before it is kept: the next request may come from another process at once. */
export class KeptFirst {
  #ended: Json | undefined;
  /** Resolves when the end has been written, or the reason why there is none. */
  settled: Promise<void> | undefined;

  constructor(
    readonly keep: Keep,
    readonly log: Log,
    readonly requestId: string,
    readonly renderFailure: (thrown: unknown) => string,
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
      this.log.error({ requestId: this.requestId, error }, 'a response could not be kept');
      return encoder.encode(this.renderFailure(error));
    }
  }
}

import { type ByteSource, readText, type Taker } from '../../../lib/byte-source.ts';
import type { Json } from '../../wire/conversation.ts';
import { exceptionEvent } from './errors.ts';
import { BrokenFrame, type Frame, FrameReader } from './frames.ts';

/** Translates frames to Messages events, including those due at the end. */
export interface FrameTranslator {
  frame(type: string, payloadText: string): Json[];
  end?(): Json[];
}

const text = new TextDecoder();
const nothing = new Uint8Array(0);

const failed = (message: string): Json => ({ type: 'error', error: { type: 'api_error', message } });

const sse = (event: Json): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** A stream of frames, read as server-sent events. Errors become an event, and nothing follows. */
export class FramedSource implements ByteSource {
  #events: Json[] = [];
  #over = false;
  readonly #frames: FrameReader;

  constructor(
    private readonly body: ByteSource,
    private readonly translator: FrameTranslator,
  ) {
    this.#frames = new FrameReader((frame) => this.#take(frame));
  }

  async read(): Promise<Uint8Array | null> {
    if (this.#over) return null;
    const bytes = await this.body.read();
    return bytes ? this.#push(bytes) : this.#end();
  }

  async flow(taker: Taker): Promise<boolean> {
    if (this.#over) return false;
    const full = await this.body.flow((bytes, from, to) => handOver(taker, this.#push(bytes.subarray(from, to))));
    if (full) return true;
    return !handOver(taker, this.#end());
  }

  leave(): void {
    this.body.leave();
  }

  abort(): void {
    this.body.abort();
  }

  /** Returns empty bytes for an incomplete frame, as a sign of life. */
  #push(bytes: Uint8Array): Uint8Array {
    if (!this.#over) this.#judge(() => this.#frames.push(bytes));
    return this.#written();
  }

  #end(): Uint8Array {
    if (this.#over) return nothing;
    this.#judge(() => {
      if (!this.#frames.idle) throw new BrokenFrame('cut off');
      this.#events.push(...(this.translator.end?.() ?? []));
    });
    this.#over = true;
    return this.#written();
  }

  #take({ headers, payload }: Frame): void {
    if (this.#over) return;
    const said = text.decode(payload);
    if (headers[':message-type'] === 'event')
      this.#events.push(...this.translator.frame(headers[':event-type'] ?? '', said));
    else if (headers[':message-type'] === 'exception')
      this.#fail(exceptionEvent(headers[':exception-type'] ?? '', said));
    else this.#fail(failed(headers[':error-message'] ?? 'the upstream reported an error'));
  }

  #judge(read: () => void): void {
    try {
      read();
    } catch (error) {
      if (!(error instanceof BrokenFrame || error instanceof SyntaxError)) throw error;
      this.#fail(failed(error.message));
    }
  }

  #fail(event: Json): void {
    this.#events.push(event);
    this.#over = true;
  }

  #written(): Uint8Array {
    if (this.#events.length === 0) return nothing;
    const events = this.#events.splice(0);
    return Buffer.from(events.map(sse).join(''));
  }
}

const handOver = (taker: Taker, bytes: Uint8Array): boolean => taker(bytes, 0, bytes.length);

/** A whole answer, converted by `translate`. */
export class TranslatedSource implements ByteSource {
  #read = false;

  constructor(
    private readonly body: ByteSource,
    private readonly translate: (text: string) => string,
  ) {}

  wholeText(): string | null {
    const whole = this.body.wholeText?.() ?? null;
    if (whole === null) return null;
    this.#read = true;
    return this.translate(whole);
  }

  async read(): Promise<Uint8Array | null> {
    if (this.#read) return null;
    this.#read = true;
    return Buffer.from(this.translate(await readText(this.body)));
  }

  async flow(taker: Taker): Promise<boolean> {
    const whole = await this.read();
    return whole !== null && !handOver(taker, whole);
  }

  leave(): void {
    this.body.leave();
  }

  abort(): void {
    this.body.abort();
  }
}

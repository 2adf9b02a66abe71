import type { ByteSource, Taker } from '../../lib/byte-source.ts';
import { BodyFrame, type BodyTaker } from './body-frame.ts';
import { type AnswerHead, MalformedAnswer, parseHead } from './head.ts';

/** The connection an exchange runs on. */
export interface Line {
  pause(): void;
  resume(): void;
  /** The exchange is complete; the connection may carry the next one if it starts within this time. */
  release(keepMs: number): void;
  destroy(): void;
}

/** Buffered bytes of an answer that its reader has not asked for; above this the upstream is paused. */
const aheadBytes = 65_536;
/** The end of the answer follows its end marker within milliseconds. */
const restMs = 1_000;
const mostHeadBytes = 65_536;
const headEnd = Buffer.from('\r\n\r\n');

/** One request and its answer, read as it arrives. */
export class Exchange implements ByteSource, BodyTaker {
  readonly head: Promise<AnswerHead>;
  /** The request to send; dropped with its first byte, since from then on the upstream may have read it. */
  request: string | Buffer | null;
  #line: Line | null = null;
  #onHead: PromiseWithResolvers<AnswerHead> | null;
  #partialHead: Buffer | null = null;
  /** Bytes of interim (1xx) responses. */
  #passedBytes = 0;
  #keepMs = 0;
  #frame: BodyFrame | null = null;
  #reader: PromiseWithResolvers<Uint8Array | null> | null = null;
  #taker: Taker | null = null;
  #flow: PromiseWithResolvers<boolean> | null = null;
  #waiting: Uint8Array[] | null = null;
  #waitingBytes = 0;
  /**
   * Body bytes that came with the head, still in their packet: most whole answers arrive at once and are decoded
   * directly.
   */
  #early: Buffer | null = null;
  #earlyFrom = 0;
  #earlyTo = 0;
  #over = false;
  /** The reader is gone. */
  #left = false;
  #fault: Error | null = null;

  constructor(request: string | Buffer) {
    this.request = request;
    this.#onHead = Promise.withResolvers<AnswerHead>();
    this.head = this.#onHead.promise;
  }

  runOn(line: Line): void {
    this.#line = line;
  }

  wholeText(): string | null {
    if (!this.#over || !this.#early || this.#waiting) return null;
    const text = this.#early.toString('utf8', this.#earlyFrom, this.#earlyTo);
    this.#early = null;
    return text;
  }

  read(): Promise<Uint8Array | null> | Uint8Array | null {
    if (this.#early) this.#keepEarly();
    if (this.#waiting) return this.#takeWaiting(this.#waiting);
    if (this.#fault) return Promise.reject(this.#fault);
    if (this.#over) return null;
    this.#reader = Promise.withResolvers();
    return this.#reader.promise;
  }

  flow(taker: Taker): Promise<boolean> {
    if (this.#early) this.#keepEarly();
    while (this.#waiting) {
      const pieces = this.#takeWaiting(this.#waiting);
      if (!taker(pieces, 0, pieces.length)) return Promise.resolve(true);
    }
    if (this.#fault) return Promise.reject(this.#fault);
    if (this.#over) return Promise.resolve(false);
    this.#taker = taker;
    this.#flow = Promise.withResolvers();
    return this.#flow.promise;
  }

  /** Called after the end marker: the last bytes of framing follow, and once read the connection can be reused. */
  leave(): void {
    if (this.#over || this.#fault || this.#left) return;
    this.#left = true;
    this.#resume();
    this.#early = null;
    this.#waiting = null;
    this.#waitingBytes = 0;
    setTimeout(() => this.abort(), restMs).unref();
  }

  abort(): void {
    this.fail(new Error('the call was cancelled'));
  }

  fail(error: Error): void {
    if (this.#over || this.#fault) return;
    this.#fault = error;
    this.request = null;
    this.#line?.destroy();
    this.#line = null;
    this.#onHead?.reject(error);
    this.#onHead = null;
    this.#reader?.reject(error);
    this.#reader = null;
    this.#flow?.reject(error);
    this.#stopFlow();
  }

  /** Bytes of the answer. */
  receive(bytes: Buffer): void {
    try {
      const given = this.#partialHead ? Buffer.concat([this.#partialHead, bytes]) : bytes;
      let at = this.#frame ? 0 : this.#readHead(given);
      if (!this.#frame) return;
      if (!this.#frame.over) at = this.#frame.read(given, at, this);
      if (this.#frame.over) this.#finish(at === given.length);
    } catch (error) {
      this.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** The connection ended. */
  lost(error?: Error): void {
    this.#line = null;
    if (this.#over || this.#fault) return;
    if (this.#frame?.endsByClose && !error) this.#finish(false);
    else this.fail(error ?? new Error('the upstream closed the connection'));
  }

  take(bytes: Uint8Array, from: number, to: number): void {
    if (this.#left) {
      this.#waitingBytes += to - from;
      if (this.#waitingBytes > aheadBytes) this.abort();
      return;
    }
    if (this.#taker) {
      if (this.#taker(bytes, from, to)) return;
      this.#flow?.resolve(true);
      this.#stopFlow();
      return;
    }
    if (this.#reader) {
      const reader = this.#reader;
      this.#reader = null;
      reader.resolve(piece(bytes, from, to));
      return;
    }
    const before = this.#waitingBytes;
    this.#waitingBytes += to - from;
    if (before === 0 && bytes instanceof Buffer) {
      this.#early = bytes;
      this.#earlyFrom = from;
      this.#earlyTo = to;
    } else {
      if (this.#early) this.#keepEarly();
      this.#waiting ??= [];
      this.#waiting.push(piece(bytes, from, to));
    }
    if (before < aheadBytes && this.#waitingBytes >= aheadBytes) this.#line?.pause();
  }

  /** Offset of the body once the head is complete; interim (1xx) responses are skipped (RFC 9110 §15.2). */
  #readHead(bytes: Buffer): number {
    let from = 0;
    for (;;) {
      const end = bytes.indexOf(headEnd, from);
      // Until the terminator is found, all but its last byte may already be here.
      const length = end === -1 ? bytes.length - from - headEnd.length + 1 : end - from;
      if (this.#passedBytes + length > mostHeadBytes) throw new MalformedAnswer('the response headers are too large');
      if (end === -1) {
        this.#partialHead = bytes.subarray(from);
        return from;
      }
      const head = parseHead(bytes.toString('latin1', from, end));
      this.#passedBytes += end + headEnd.length - from;
      from = end + headEnd.length;
      if (head.status >= 200) {
        this.#begin(head);
        return from;
      }
      if (head.status === 101) throw new MalformedAnswer('the upstream switched protocols');
    }
  }

  #begin(head: AnswerHead): void {
    this.#partialHead = null;
    this.#keepMs = head.keepMs;
    this.#frame = new BodyFrame(head.framing);
    this.#onHead?.resolve(head);
    this.#onHead = null;
  }

  #finish(clean: boolean): void {
    if (this.#over) return;
    this.#over = true;
    this.#resume();
    const line = this.#line;
    this.#line = null;
    if (clean && this.#keepMs > 0) line?.release(this.#keepMs);
    else line?.destroy();
    this.#reader?.resolve(null);
    this.#reader = null;
    this.#flow?.resolve(false);
    this.#stopFlow();
  }

  #stopFlow(): void {
    this.#flow = null;
    this.#taker = null;
  }

  #resume(): void {
    if (this.#waitingBytes >= aheadBytes) this.#line?.resume();
  }

  #keepEarly(): void {
    this.#waiting = [piece(this.#early!, this.#earlyFrom, this.#earlyTo)];
    this.#early = null;
  }

  /** Chunks that arrived together are passed on together. */
  #takeWaiting(pieces: Uint8Array[]): Uint8Array {
    this.#resume();
    this.#waiting = null;
    this.#waitingBytes = 0;
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  }
}

const piece = (bytes: Uint8Array, from: number, to: number): Uint8Array =>
  from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to);

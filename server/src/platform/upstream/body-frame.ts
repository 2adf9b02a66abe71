import { type Framing, isField, MalformedAnswer } from './head.ts';

/** Gets the bytes of a body: those of `bytes` from `from` up to `to`. */
export interface BodyTaker {
  take(bytes: Uint8Array, from: number, to: number): void;
}

/** `…-end`: the CR of a line has come and its LF is due. A line ends in both, as one of them alone can be read in two ways. */
type Part =
  | 'size'
  | 'padding'
  | 'extension'
  | 'size-end'
  | 'data'
  | 'after-data'
  | 'data-end'
  | 'trailer'
  | 'trailer-end'
  | 'over';

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const SEMICOLON = 59;
/** More than this of chunk extensions or trailers is an attack on memory or time, not an answer. */
const mostOverheadBytes = 16_384;
const mostSizeDigits = 16;
/** No chunk is that large, and all up to here can be counted exactly. */
const mostSize = 2 ** 48;

/** Takes the framing off a body as it comes, however it was cut (RFC 9112 §6, §7.1). */
export class BodyFrame {
  #part: Part = 'data';
  /** Bytes to come of the chunk or the body; infinite where the connection's end ends it. */
  #left = Number.POSITIVE_INFINITY;
  readonly #chunked: boolean;
  #digits = 0;
  #overhead = 0;
  /** The trailer that is being read. */
  #line = '';

  constructor(framing: Framing) {
    this.#chunked = framing === 'chunked';
    if (this.#chunked) this.#startSize();
    else if (framing !== 'close') this.#left = framing as number;
    if (this.#left === 0 && !this.#chunked) this.#part = 'over';
  }

  get over(): boolean {
    return this.#part === 'over';
  }

  /** Whether a connection that ends now ends a whole body. */
  get endsByClose(): boolean {
    return !this.#chunked && this.#left === Number.POSITIVE_INFINITY;
  }

  /** Reads from `at` on, and returns where it stopped: before the end of `bytes` only if the body is over. */
  read(bytes: Uint8Array, at: number, taker: BodyTaker): number {
    let i = at;
    while (i < bytes.length && this.#part !== 'over') {
      if (this.#part === 'data') {
        const to = Math.min(bytes.length, i + this.#left);
        this.#left -= to - i;
        if (this.#left === 0) this.#part = this.#chunked ? 'after-data' : 'over';
        taker.take(bytes, i, to);
        i = to;
      } else {
        this.#mark(bytes[i]!);
        i += 1;
      }
    }
    return i;
  }

  #startSize(): void {
    this.#part = 'size';
    this.#left = 0;
    this.#digits = 0;
    this.#overhead = 0;
  }

  /** One byte of what stands around the data. */
  #mark(byte: number): void {
    switch (this.#part) {
      case 'size':
        this.#size(byte);
        return;
      case 'padding':
      case 'extension':
        this.#extension(byte);
        return;
      case 'size-end':
        this.#expect(byte, LF, this.#left === 0 ? 'trailer' : 'data');
        return;
      case 'after-data':
        this.#expect(byte, CR, 'data-end');
        return;
      case 'data-end':
        this.#expect(byte, LF, 'size');
        this.#startSize();
        return;
      default:
        this.#trailer(byte);
    }
  }

  #expect(byte: number, expected: number, next: Part): void {
    if (byte !== expected) throw malformed();
    this.#part = next;
  }

  #size(byte: number): void {
    const digit = hexDigit(byte);
    if (digit === -1) {
      if (this.#digits === 0) throw malformed();
      this.#part = 'padding';
      this.#extension(byte);
      return;
    }
    this.#left = this.#left * 16 + digit;
    this.#digits += 1;
    if (this.#digits > mostSizeDigits || this.#left > mostSize) throw malformed();
  }

  /** What follows a size is passed over: blanks, and behind a semicolon anything that may be printed (RFC 9112 §7.1.1). */
  #extension(byte: number): void {
    if (byte === CR) {
      this.#part = 'size-end';
      return;
    }
    this.#count();
    if (this.#part === 'extension' ? isPrintable(byte) : byte === SPACE || byte === TAB) return;
    this.#expect(byte, SEMICOLON, 'extension');
  }

  #trailer(byte: number): void {
    this.#count();
    if (this.#part === 'trailer') {
      if (byte === CR) this.#part = 'trailer-end';
      else if (byte === LF) throw malformed();
      else this.#line += String.fromCharCode(byte);
      return;
    }
    this.#expect(byte, LF, this.#line === '' ? 'over' : 'trailer');
    if (this.#line !== '' && !isField(this.#line)) throw malformed();
    this.#line = '';
  }

  #count(): void {
    this.#overhead += 1;
    if (this.#overhead > mostOverheadBytes) throw malformed();
  }
}

const malformed = (): MalformedAnswer => new MalformedAnswer('the upstream sent a malformed chunk');

const isPrintable = (byte: number): boolean => byte === TAB || (byte >= SPACE && byte !== 127);

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

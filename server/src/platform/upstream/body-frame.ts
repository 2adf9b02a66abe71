import { type Framing, isField, MalformedAnswer } from './head.ts';

/** Receives bytes of a body: `bytes` from `from` up to `to`. */
export interface BodyTaker {
  take(bytes: Uint8Array, from: number, to: number): void;
}

/** `…-end`: the CR of a line break was read and its LF is due. Both are required, since a lone one is ambiguous. */
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
/** More bytes of chunk extensions or trailers are an attack, not an answer. */
const mostOverheadBytes = 16_384;
const mostSizeDigits = 16;
/** No chunk is larger, and sizes up to here are exact. */
const mostSize = 2 ** 48;

/** Removes the transfer framing from a body in chunks of any size (RFC 9112 §6, §7.1). */
export class BodyFrame {
  #part: Part = 'data';
  /** Remaining bytes of the chunk or body; infinite if the body ends with the connection. */
  #left = Number.POSITIVE_INFINITY;
  readonly #chunked: boolean;
  #digits = 0;
  #overhead = 0;
  /** The trailer line being read. */
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

  /** Whether closing the connection now completes the body. */
  get endsByClose(): boolean {
    return !this.#chunked && this.#left === Number.POSITIVE_INFINITY;
  }

  /** Reads from `at` on and returns where it stopped: before the end of `bytes` only if the body is complete. */
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

  /** One byte of framing. */
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

  /** Skips what follows a chunk size: white space, and extensions after a semicolon (RFC 9112 §7.1.1). */
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

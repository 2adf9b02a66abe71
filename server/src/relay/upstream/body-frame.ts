import { type Framing, MalformedAnswer } from './head.ts';

/** Gets the bytes of a body: those of `bytes` from `from` up to `to`. */
export interface BodyTaker {
  take(bytes: Uint8Array, from: number, to: number): void;
}

type Part = 'size' | 'extension' | 'data' | 'after-data' | 'trailer' | 'over';

const LF = 10;
const CR = 13;
/** More than this of chunk extensions or trailers is an attack on memory or time, not an answer. */
const mostOverheadBytes = 16_384;
/** Past this a size cannot be counted exactly; no chunk is that large. */
const mostSizeDigits = 12;

/** Takes the framing off a body as it comes, however it was cut (RFC 9112 §6, §7.1). */
export class BodyFrame {
  #part: Part = 'data';
  /** Bytes to come of the chunk or the body; infinite where the connection's end ends it. */
  #left = Number.POSITIVE_INFINITY;
  readonly #chunked: boolean;
  #digits = 0;
  #overhead = 0;
  #lineIsEmpty = true;

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
      case 'extension':
        if (byte === LF) this.#startData();
        else this.#count();
        return;
      case 'after-data':
        if (byte === LF) this.#startSize();
        else if (byte !== CR) throw new MalformedAnswer('the upstream sent a chunk of another size than it said');
        return;
      default:
        this.#trailer(byte);
    }
  }

  #size(byte: number): void {
    const digit = hexDigit(byte);
    if (digit !== -1 && this.#digits < mostSizeDigits) {
      this.#left = this.#left * 16 + digit;
      this.#digits += 1;
    } else if (digit !== -1 || this.#digits === 0) throw new MalformedAnswer('the upstream sent a malformed chunk');
    else if (byte === LF) this.#startData();
    else this.#part = 'extension';
  }

  #startData(): void {
    this.#lineIsEmpty = true;
    this.#part = this.#left === 0 ? 'trailer' : 'data';
  }

  #trailer(byte: number): void {
    this.#count();
    if (byte === LF) {
      if (this.#lineIsEmpty) this.#part = 'over';
      this.#lineIsEmpty = true;
    } else if (byte !== CR) this.#lineIsEmpty = false;
  }

  #count(): void {
    this.#overhead += 1;
    if (this.#overhead > mostOverheadBytes) throw new MalformedAnswer('the upstream sent a malformed chunk');
  }
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

/** One message of `application/vnd.amazon.eventstream`, with its string headers. */
export interface Frame {
  headers: Readonly<Record<string, string>>;
  payload: Uint8Array;
}

export class BrokenFrame extends Error {
  constructor(what: string) {
    super(`the upstream sent a malformed frame: ${what}`);
    this.name = 'BrokenFrame';
  }
}

/** Lengths of the frame and its headers, and a checksum of both. */
const preludeBytes = 12;
const checksumBytes = 4;
/** The format's maximum payload; Bedrock sends a megabyte at most. Bounds memory. */
const mostFrameBytes = 16 * 1024 * 1024;

const text = new TextDecoder();

/** Splits a byte stream into frames; throws BrokenFrame if it is no such stream. */
export class FrameReader {
  #bytes = new Uint8Array(preludeBytes);
  #filled = 0;

  constructor(private readonly take: (frame: Frame) => void) {}

  /** The next byte starts a frame. */
  get idle(): boolean {
    return this.#filled === 0;
  }

  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      const piece = chunk.subarray(at, at + this.#bytes.length - this.#filled);
      this.#bytes.set(piece, this.#filled);
      this.#filled += piece.length;
      at += piece.length;
      if (this.#filled === this.#bytes.length) this.#full();
    }
  }

  #full(): void {
    const bytes = this.#bytes;
    if (bytes.length === preludeBytes) {
      this.#bytes = new Uint8Array(frameBytes(bytes));
      this.#bytes.set(bytes);
      return;
    }
    this.#bytes = new Uint8Array(preludeBytes);
    this.#filled = 0;
    this.take(readFrame(bytes));
  }
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Verifies the length before memory is allocated for it. */
function frameBytes(prelude: Uint8Array): number {
  const view = viewOf(prelude);
  if (view.getUint32(8) !== Bun.hash.crc32(prelude.subarray(0, 8))) throw new BrokenFrame('checksum of its lengths');
  const whole = view.getUint32(0);
  if (whole > mostFrameBytes) throw new BrokenFrame(`${whole} bytes long`);
  if (whole < preludeBytes + view.getUint32(4) + checksumBytes) throw new BrokenFrame('inconsistent lengths');
  return whole;
}

function readFrame(bytes: Uint8Array): Frame {
  const view = viewOf(bytes);
  const end = bytes.length - checksumBytes;
  if (view.getUint32(end) !== Bun.hash.crc32(bytes.subarray(0, end))) throw new BrokenFrame('checksum');
  const headersEnd = preludeBytes + view.getUint32(4);
  return { headers: readHeaders(bytes.subarray(preludeBytes, headersEnd)), payload: bytes.subarray(headersEnd, end) };
}

/** Value lengths by type; the two variable ones carry their length. */
const valueBytes = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];
const textType = 7;

function readHeaders(bytes: Uint8Array): Record<string, string> {
  const headers: Record<string, string> = {};
  const view = viewOf(bytes);
  try {
    for (let at = 0; at < bytes.length; ) {
      const nameEnd = at + 1 + view.getUint8(at);
      const type = view.getUint8(nameEnd);
      if (type >= valueBytes.length) throw new BrokenFrame(`a header of type ${type}`);
      const fixed = valueBytes[type];
      const from = nameEnd + (fixed === undefined ? 3 : 1);
      const to = from + (fixed ?? view.getUint16(nameEnd + 1));
      if (to > bytes.length) throw new BrokenFrame('headers longer than declared');
      if (type === textType)
        headers[text.decode(bytes.subarray(at + 1, nameEnd))] = text.decode(bytes.subarray(from, to));
      at = to;
    }
  } catch (error) {
    throw error instanceof RangeError ? new BrokenFrame('headers longer than declared') : error;
  }
  return headers;
}

import { isUtf8 } from 'node:buffer';

/** RFC 6455 §5.2. */
export const opcodes = { more: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** A protocol violation by the peer, with the close code to send (RFC 6455 §7.4.1). */
export class FrameFault extends Error {
  constructor(
    readonly code: 1002 | 1007 | 1009,
    message: string,
  ) {
    super(message);
  }
}

const mostControlBytes = 125;
const nothing = Buffer.alloc(0);

/** A masked frame, as clients send it (RFC 6455 §5.3). */
export function clientFrame(opcode: number, payload: Uint8Array): Buffer {
  const { length } = payload;
  const lengthBytes = length <= 125 ? 0 : length < 65_536 ? 2 : 8;
  const head = 2 + lengthBytes + 4;
  // Aligns the payload to four bytes, so that it can be masked word by word.
  const pad = (4 - (head % 4)) % 4;
  const whole = Buffer.from(new ArrayBuffer(pad + head + length));
  const frame = whole.subarray(pad);
  frame[0] = 0x80 | opcode;
  frame[1] = 0x80 | (lengthBytes === 0 ? length : lengthBytes === 2 ? 126 : 127);
  if (lengthBytes === 2) frame.writeUInt16BE(length, 2);
  else if (lengthBytes === 8) frame.writeBigUInt64BE(BigInt(length), 2);
  const mask = crypto.getRandomValues(frame.subarray(head - 4, head));
  frame.set(payload, head);
  const words = new Uint32Array(whole.buffer, pad + head, length >> 2);
  const word = new DataView(mask.buffer, mask.byteOffset, 4).getUint32(0, true);
  for (let i = 0; i < words.length; i += 1) words[i]! ^= word;
  for (let i = words.length * 4; i < length; i += 1) frame[head + i]! ^= mask[i & 3]!;
  return frame;
}

interface FrameTaker {
  message(payload: Buffer, binary: boolean): void;
  control(opcode: number, payload: Buffer): void;
}

/** Reassembles a server's frames; bytes and messages may be split anywhere. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #size = 0;
  /** Nothing to do with fewer bytes: large frames are assembled once, not with each packet. */
  #needed = 2;
  /**
   * The fragments of a message so far, in one growing buffer: a one-byte fragment would take a hundred bytes on its
   * own.
   */
  #gathered = nothing;
  #gatheredBytes = 0;
  #kind: number | null = null;

  constructor(
    readonly taker: FrameTaker,
    readonly mostBytes: number,
  ) {}

  /** Throws FrameFault. */
  push(bytes: Buffer): void {
    this.#chunks.push(bytes);
    this.#size += bytes.length;
    while (this.#size >= this.#needed) {
      const all = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
      const used = this.#read(all);
      this.#chunks = used < all.length ? [all.subarray(used)] : [];
      this.#size = all.length - used;
    }
  }

  /** Consumes one frame if it is complete, and returns its length; else sets how many bytes are needed. */
  #read(bytes: Buffer): number {
    const [first, second] = [bytes[0]!, bytes[1]!];
    if ((first & 0x70) !== 0 || (second & 0x80) !== 0) throw new FrameFault(1002, 'a frame is malformed');
    const short = second & 0x7f;
    const head = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (bytes.length < head) {
      this.#needed = head;
      return 0;
    }
    const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
    if (this.#gatheredBytes + length > this.mostBytes) throw new FrameFault(1009, 'a message is too large');
    this.#needed = head + length;
    if (bytes.length < this.#needed) return 0;
    this.#needed = 2;
    this.#take(first, bytes.subarray(head, head + length));
    return head + length;
  }

  #take(first: number, payload: Buffer): void {
    const opcode = first & 0x0f;
    const last = (first & 0x80) !== 0;
    if (opcode >= opcodes.close) {
      if (!last || payload.length > mostControlBytes || opcode > opcodes.pong)
        throw new FrameFault(1002, 'a control frame is malformed');
      this.taker.control(opcode, payload);
      return;
    }
    const begins = opcode !== opcodes.more;
    if (begins !== (this.#kind === null) || opcode > opcodes.binary)
      throw new FrameFault(1002, 'a frame is out of order');
    if (begins) this.#kind = opcode;
    if (!last) {
      this.#gather(payload);
      return;
    }
    const whole = begins ? payload : this.#gather(payload);
    const binary = this.#kind === opcodes.binary;
    this.#gathered = nothing;
    this.#gatheredBytes = 0;
    this.#kind = null;
    // RFC 6455 §8.1: text messages must be valid UTF-8.
    if (!binary && !isUtf8(whole)) throw new FrameFault(1007, 'a message is not UTF-8');
    this.taker.message(whole, binary);
  }

  /** Appends a fragment and returns the message so far. */
  #gather(payload: Buffer): Buffer {
    const bytes = this.#gatheredBytes + payload.length;
    if (bytes > this.#gathered.length) {
      const larger = Buffer.allocUnsafe(Math.min(this.mostBytes, Math.max(bytes, 2 * this.#gathered.length)));
      this.#gathered.copy(larger, 0, 0, this.#gatheredBytes);
      this.#gathered = larger;
    }
    payload.copy(this.#gathered, this.#gatheredBytes);
    this.#gatheredBytes = bytes;
    return this.#gathered.subarray(0, bytes);
  }
}

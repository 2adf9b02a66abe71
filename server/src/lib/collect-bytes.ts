const MiB = 1024 * 1024;

/** Size limits of answers from outside, after decompression; anything larger is not a genuine answer. */
export const answerLimits = {
  /** Answers with images, and rankings with their documents, have megabytes. */
  json: 64 * MiB,
  /** A few lines, or a proxy's error page; more would be of no use. */
  refusal: 256 * 1024,
} as const;

export class AnswerTooLarge extends Error {
  constructor(mostBytes: number) {
    super(`the response is larger than ${mostBytes} bytes`);
    this.name = 'AnswerTooLarge';
  }
}

/** The next bytes of a body; null at its end. */
export type NextPiece = () => Promise<Uint8Array | null> | Uint8Array | null;

/**
 * A body of up to `mostBytes`. Chunks are copied into one buffer, since a one-byte chunk takes a hundred bytes on its
 * own.
 */
export async function collectBytes(next: NextPiece, mostBytes: number): Promise<{ bytes: Buffer; whole: boolean }> {
  let kept = Buffer.allocUnsafe(Math.min(16_384, mostBytes));
  let length = 0;
  for (;;) {
    const given = next();
    const piece = given instanceof Promise ? await given : given;
    if (!piece) return { bytes: kept.subarray(0, length), whole: true };
    const taken = Math.min(piece.length, mostBytes - length);
    if (length + taken > kept.length) {
      const grown = Buffer.allocUnsafe(Math.min(mostBytes, Math.max(length + taken, kept.length * 2)));
      kept.copy(grown, 0, 0, length);
      kept = grown;
    }
    kept.set(taken === piece.length ? piece : piece.subarray(0, taken), length);
    length += taken;
    if (taken < piece.length) return { bytes: kept.subarray(0, length), whole: false };
  }
}

/** Without a byte order mark, as `Response.text` does. */
export const textOf = (bytes: Buffer): string => withoutByteOrderMark(bytes).toString();

export const withoutByteOrderMark = (bytes: Buffer): Buffer =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

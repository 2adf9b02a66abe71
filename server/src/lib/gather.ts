const MiB = 1024 * 1024;

/** What is read of answers from outside, unpacked; whoever sends more sends something else, and it is our memory. */
export const answerLimits = {
  /** Answers with pictures and rankings with their documents have megabytes. */
  json: 64 * MiB,
  /** A few lines, or the page that a proxy shows in their place; more of it is of no use to anybody. */
  refusal: 256 * 1024,
} as const;

export class AnswerTooLarge extends Error {
  constructor(mostBytes: number) {
    super(`the answer is larger than ${mostBytes} bytes`);
    this.name = 'AnswerTooLarge';
  }
}

/** The next bytes of a body; null at its end. */
export type NextPiece = () => Promise<Uint8Array | null> | Uint8Array | null;

/** A body up to `mostBytes`. Pieces are copied together, as kept one by one those of a byte each would take a hundred. */
export async function gather(next: NextPiece, mostBytes: number): Promise<{ bytes: Buffer; whole: boolean }> {
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

/** A byte order mark is no part of the text, as `Response.text` has it. */
export const textOf = (bytes: Buffer): string => unmarked(bytes).toString();

export const unmarked = (bytes: Buffer): Buffer =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

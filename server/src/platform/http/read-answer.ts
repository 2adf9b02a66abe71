import { parseInTurns } from '../../lib/parse-in-turns.ts';

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

/** The whole of an answer as text; one that is larger than that is given up, and throws. */
export async function readAnswer(response: Response, mostBytes: number): Promise<string> {
  const { text, whole } = await readUpTo(response, mostBytes);
  if (!whole) throw new AnswerTooLarge(mostBytes);
  return text;
}

/** The text of an answer that says no: its status tells enough, so that what is too long is cut. */
export const readRefusal = async (response: Response): Promise<string> =>
  (await readUpTo(response, answerLimits.refusal)).text;

/** The JSON of an answer, however much it is: others get their turn meanwhile. Throws SyntaxError for what is none. */
export async function readJsonAnswer(response: Response, mostBytes: number): Promise<unknown> {
  const { bytes, whole } = await readBytes(response, mostBytes);
  if (!whole) throw new AnswerTooLarge(mostBytes);
  return parseInTurns(unmarked(bytes));
}

async function readUpTo(response: Response, mostBytes: number): Promise<{ text: string; whole: boolean }> {
  const { bytes, whole } = await readBytes(response, mostBytes);
  return { text: textOf(bytes), whole };
}

async function readBytes({ body }: Response, mostBytes: number): Promise<{ bytes: Buffer; whole: boolean }> {
  if (!body) return { bytes: Buffer.alloc(0), whole: true };
  const reader = body.getReader();
  const { bytes, whole } = await gather(async () => (await reader.read()).value ?? null, mostBytes);
  if (!whole) reader.cancel().catch(() => {});
  return { bytes, whole };
}

/** A byte order mark is no part of the text, as `Response.text` has it. */
export const textOf = (bytes: Buffer): string => unmarked(bytes).toString();

const unmarked = (bytes: Buffer): Buffer =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

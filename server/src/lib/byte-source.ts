import { AnswerTooLarge, answerLimits, collectBytes, textOf } from './collect-bytes.ts';

/** Takes a chunk of a body, the bytes from `from` up to `to`; false if it cannot take more for now. */
export type Taker = (bytes: Uint8Array, from: number, to: number) => boolean;

/** The body of an answer, read chunk by chunk with back-pressure. */
export interface ByteSource {
  /** The next bytes, or null at the end; rejects if the connection breaks. */
  read(): Promise<Uint8Array | null> | Uint8Array | null;
  /** The whole body if it has arrived already and nothing was read yet; else null. */
  wholeText?(): string | null;
  /** Passes chunks on as they arrive; resolves to true if the taker stopped, to false at the end. */
  flow(taker: Taker): Promise<boolean>;
  /** The reader has what it needs. */
  leave(): void;
  abort(): void;
}

/** The whole body as text. */
export function readText(body: ByteSource): string | Promise<string> {
  const whole = body.wholeText?.() ?? null;
  if (whole === null) return gatherText(body);
  return whole.charCodeAt(0) === 0xfeff ? whole.slice(1) : whole;
}

async function gatherText(body: ByteSource): Promise<string> {
  const { bytes, whole } = await collectBytes(() => body.read(), answerLimits.json);
  if (whole) return textOf(bytes);
  body.abort();
  throw new AnswerTooLarge(answerLimits.json);
}

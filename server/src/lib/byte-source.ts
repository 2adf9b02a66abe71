import { AnswerTooLarge, answerLimits, gather, textOf } from './gather.ts';

/** Takes a piece of a body, the bytes from `from` up to `to`; false when it can take no more for now. */
export type Taker = (bytes: Uint8Array, from: number, to: number) => boolean;

/** The body of an answer, read piece by piece; what is not read is not fetched for long. */
export interface ByteSource {
  /** The next bytes, or null at the end; rejects when the connection breaks. */
  read(): Promise<Uint8Array | null> | Uint8Array | null;
  /** The whole body where it is here already, in one piece of which nothing was read; null where not. */
  wholeText?(): string | null;
  /** Hands pieces over the moment they come; resolves to true when the taker wants no more, to false at the end. */
  flow(taker: Taker): Promise<boolean>;
  /** What was wanted has come. */
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
  const { bytes, whole } = await gather(() => body.read(), answerLimits.json);
  if (whole) return textOf(bytes);
  body.abort();
  throw new AnswerTooLarge(answerLimits.json);
}

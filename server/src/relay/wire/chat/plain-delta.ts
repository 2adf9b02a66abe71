import { ModelRewriter } from '../rewrite-model.ts';

const start = Buffer.from('data: {');
const unfinished = Buffer.from('"finish_reason":null');
const content = Buffer.from('"content":"');
const choices = Buffer.from('"choices":[{');
/** Members that somebody has to look at; quotes inside strings are escaped, so these bytes are member names for sure. */
const telling = ['"usage":{', '"error":', '"tool_calls"', '"function_call"', '"reasoning', '"thinking', '"event"'].map(
  (text) => Buffer.from(text),
);
const quote = 34;
const backslash = 92;

/**
 * Whether a frame is nothing but a further piece of text: no end, no usage, no tool call, no error. Most frames of a
 * stream are, and need not be parsed to be passed on. When in doubt the answer is no.
 */
export function isPlainDelta(frame: Uint8Array): boolean {
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  if (!bytes.subarray(0, start.length).equals(start)) return false;
  const at = bytes.indexOf(content);
  // An empty piece is no output, and the first chunk of a stream has one.
  if (at === -1 || bytes[at + content.length] === quote) return false;
  if (bytes.indexOf(unfinished) === -1 || bytes.indexOf(choices) === -1) return false;
  return telling.every((name) => bytes.indexOf(name) === -1);
}

/** Where the text of such a frame begins and where its closing quote stands. */
function textBounds(bytes: Buffer): [start: number, end: number] {
  const from = bytes.indexOf(content) + content.length;
  return [from, closingQuote(bytes, from)];
}

function closingQuote(bytes: Buffer, from: number): number {
  let end = bytes.indexOf(quote, from);
  while (end !== -1 && isEscaped(bytes, end, from)) end = bytes.indexOf(quote, end + 1);
  return end === -1 ? bytes.length : end;
}

function isEscaped(bytes: Buffer, at: number, from: number): boolean {
  let slashes = 0;
  for (let i = at - 1; i >= from && bytes[i] === backslash; i -= 1) slashes += 1;
  return slashes % 2 === 1;
}

export interface PlainPiece {
  /** Bytes of a JSON string, without its quotes. */
  text: Uint8Array;
  /** The frame as it goes to the client. */
  frame: Uint8Array;
}

/**
 * Recognises plain pieces of text in one stream. What stands around the text is the same in every frame of an answer, so
 * after the first one two comparisons tell, and the frame's beginning, model name and all, is put in ready-made.
 */
export class PlainPieces {
  readonly #model: ModelRewriter;
  #before: Buffer | null = null;
  #after = Buffer.alloc(0);
  /** What goes out instead of `#before`; null when it is the same. */
  #rewritten: Buffer | null = null;

  constructor(model: string) {
    this.#model = new ModelRewriter(model);
  }

  read(frame: Uint8Array): PlainPiece | null {
    const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
    const from = this.#before?.length ?? 0;
    const end = bytes.length - this.#after.length;
    const known =
      this.#before !== null &&
      end > from &&
      bytes.compare(this.#before, 0, from, 0, from) === 0 &&
      bytes.compare(this.#after, 0, this.#after.length, end) === 0 &&
      closingQuote(bytes, from) === end;
    if (!known) return isPlainDelta(frame) ? this.#learn(bytes) : null;
    const rest = bytes.subarray(from);
    return {
      text: bytes.subarray(from, end),
      frame: this.#rewritten ? Buffer.concat([this.#rewritten, rest]) : frame,
    };
  }

  #learn(bytes: Buffer): PlainPiece {
    const [from, end] = textBounds(bytes);
    // Copies: the frame's memory belongs to the chunk it came in.
    const before = Buffer.from(bytes.subarray(0, from));
    const rewritten = Buffer.from(this.#model.apply(before));
    this.#before = before;
    this.#after = Buffer.from(bytes.subarray(end));
    this.#rewritten = rewritten.equals(before) ? null : rewritten;
    return { text: bytes.subarray(from, end), frame: this.#model.apply(bytes) };
  }
}

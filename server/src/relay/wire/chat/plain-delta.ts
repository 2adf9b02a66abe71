import { ModelRewriter } from '../rewrite-model.ts';

const start = Buffer.from('data: {');
const unfinished = Buffer.from('"finish_reason":null');
/** With several choices, only chunks of the first are forwarded unparsed; the others must be checked for their end. */
const firstChoice = Buffer.from('"index":0');
const delta = Buffer.from('"delta":');
const content = Buffer.from('"content":"');
const model = Buffer.from('"model":');
const choices = Buffer.from('"choices":[{');
/** Members that require parsing; quotes inside strings are escaped, so these bytes are certainly member names. */
const telling = ['"usage":{', '"error":', '"tool_calls"', '"function_call"', '"reasoning', '"thinking', '"event"'].map(
  (text) => Buffer.from(text),
);
const quote = 34;
const backslash = 92;
const space = 32;
const nothing = new Uint8Array(0);
/** Up to this size a loop copies faster than creating a view. */
const shortBytes = 256;

/**
 * Whether a frame is just another piece of text: no end, usage, tool call or error. Most frames are, and need no
 * parsing. When in doubt, false.
 */
export function isPlainDelta(frame: Uint8Array): boolean {
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  if (!bytes.subarray(0, start.length).equals(start)) return false;
  const at = bytes.indexOf(content);
  // An empty text is no output; the first chunk of a stream has one.
  if (at === -1 || bytes[at + content.length] === quote) return false;
  if (bytes.indexOf(unfinished) === -1 || bytes.indexOf(choices) === -1) return false;
  if (bytes.indexOf(firstChoice) === -1 || bytes.indexOf(delta) !== bytes.lastIndexOf(delta)) return false;
  return telling.every((name) => bytes.indexOf(name) === -1);
}

/**
 * Position of the closing quote of the string at `from`; -1 if there is none, or the bytes are not valid in a JSON
 * string, or end a line for some readers.
 */
function closingQuote(bytes: Uint8Array, from: number): number {
  for (let i = from; i < bytes.length; i += 1) {
    const byte = bytes[i]!;
    if (byte === quote) return i;
    if (byte === backslash) i += 1;
    else if (byte < space || (byte >= firstOfEnds && mayEndLine(bytes, i))) return -1;
  }
  return -1;
}

/** U+0085 is C2 85 in UTF-8, U+2028 and U+2029 are E2 80 A8 and A9. */
const firstOfEnds = 0xc2;
const mayEndLine = (bytes: Uint8Array, at: number): boolean =>
  bytes[at] === 0xe2
    ? bytes[at + 1] === 0x80 && (bytes[at + 2]! & 0xfe) === 0xa8
    : bytes[at] === firstOfEnds && bytes[at + 1] === 0x85;

/** A loop, since the pieces are short and a native call would cost more. */
function standsAt(bytes: Uint8Array, at: number, expected: Uint8Array): boolean {
  const { length } = expected;
  if (at + length > bytes.length) return false;
  for (let i = 0; i < length; i += 1) if (bytes[at + i] !== expected[i]) return false;
  return true;
}

/** Receives bytes of a JSON string without its quotes: `bytes` from `from` up to `to`. */
export type TakeEscaped = (bytes: Uint8Array, from: number, to: number) => void;

/**
 * Recognises plain text frames of one stream. Everything around the text is the same in each frame of an answer, so
 * after the first frame two comparisons suffice, and the prefix with the replaced model name is prepared once.
 */
export class PlainPieces {
  readonly #model: ModelRewriter;
  readonly #onText: TakeEscaped;
  #before = nothing;
  #after = nothing;
  /** Replacements for prefix and suffix; null if unchanged. */
  #newBefore: Uint8Array | null = null;
  #newAfter: Uint8Array | null = null;
  /** Where the last forwarded frame ended. */
  next = 0;

  constructor(
    model: string,
    onText: TakeEscaped,
    private readonly keepsNullUsage = true,
  ) {
    this.#model = new ModelRewriter(model);
    this.#onText = onText;
  }

  /** The frame from `at` on, as sent to the client; null unless it matches the learned pattern. */
  pass(bytes: Uint8Array, at = 0, to = bytes.length): Uint8Array | null {
    const before = this.#before;
    if (before.length === 0 || !standsAt(bytes, at, before)) return null;
    const from = at + before.length;
    const end = closingQuote(bytes, from);
    // An empty text is no output, so the frame must be parsed.
    if (end <= from || !standsAt(bytes, end, this.#after)) return null;
    const next = end + this.#after.length;
    if (next > to) return null;
    this.next = next;
    this.#onText(bytes, from, end);
    if (this.#newAfter) return spliced(this.#newBefore ?? before, bytes, from, end, this.#newAfter);
    if (this.#newBefore) return spliced(this.#newBefore, bytes, from, next);
    return at === 0 && next === bytes.length ? bytes : bytes.subarray(at, next);
  }

  /** Learns from the first plain frame: returns it as sent to the client, or null if it is more than text. */
  learn(frame: Uint8Array): Uint8Array | null {
    if (!isPlainDelta(frame)) return null;
    const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
    const from = bytes.indexOf(content) + content.length;
    const end = closingQuote(frame, from);
    if (end === -1) return null;
    // Copied, because the frame's memory belongs to the received chunk (`slice` of a Buffer would share it).
    const before = new Uint8Array(frame.subarray(0, from));
    const after = new Uint8Array(frame.subarray(end));
    this.#before = before;
    this.#after = after;
    const isNamedBefore = bytes.subarray(0, from).indexOf(model) !== -1;
    this.#newBefore = this.#changed(before, isNamedBefore);
    this.#newAfter = this.#changed(after, !isNamedBefore);
    this.#onText(frame, from, end);
    if (!this.#newBefore && !this.#newAfter) return frame;
    return spliced(this.#newBefore ?? before, frame, from, end, this.#newAfter ?? after);
  }

  #changed(bytes: Uint8Array, isNamed: boolean): Uint8Array | null {
    const named = isNamed ? this.#model.apply(bytes) : bytes;
    const tidy = this.keepsNullUsage ? named : withoutNullUsage(named);
    return tidy === bytes ? null : new Uint8Array(tidy);
  }
}

const nullUsage = [Buffer.from(',"usage":null'), Buffer.from('"usage":null,')];

/** Removes `"usage":null`: it was not requested, and some clients fail on it. */
function withoutNullUsage(bytes: Uint8Array): Uint8Array {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const member of nullUsage) {
    const at = whole.indexOf(member);
    if (at === -1) continue;
    return withoutNullUsage(Buffer.concat([whole.subarray(0, at), whole.subarray(at + member.length)]));
  }
  return bytes;
}

/** Always a new frame, since the caller may keep it. */
function spliced(
  head: Uint8Array,
  bytes: Uint8Array,
  from: number,
  to: number,
  tail: Uint8Array = nothing,
): Uint8Array {
  const textEnd = head.length + to - from;
  const out = new Uint8Array(textEnd + tail.length);
  out.set(head);
  if (to - from > shortBytes) out.set(bytes.subarray(from, to), head.length);
  else for (let at = head.length, i = from; i < to; i += 1, at += 1) out[at] = bytes[i]!;
  if (tail.length > 0) out.set(tail, textEnd);
  return out;
}

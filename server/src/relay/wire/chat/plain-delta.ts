import { ModelRewriter } from '../rewrite-model.ts';

const start = Buffer.from('data: {');
const unfinished = Buffer.from('"finish_reason":null');
/** Of answers with several choices only the first passes unread; how the others end has to be seen. */
const firstChoice = Buffer.from('"index":0');
const delta = Buffer.from('"delta":');
const content = Buffer.from('"content":"');
const model = Buffer.from('"model":');
const choices = Buffer.from('"choices":[{');
/** Members that somebody has to look at; quotes inside strings are escaped, so these bytes are member names for sure. */
const telling = ['"usage":{', '"error":', '"tool_calls"', '"function_call"', '"reasoning', '"thinking', '"event"'].map(
  (text) => Buffer.from(text),
);
const quote = 34;
const backslash = 92;
const space = 32;
const nothing = new Uint8Array(0);
/** Up to here a loop copies faster than a view can be made. */
const shortBytes = 256;

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
  if (bytes.indexOf(firstChoice) === -1 || bytes.indexOf(delta) !== bytes.lastIndexOf(delta)) return false;
  return telling.every((name) => bytes.indexOf(name) === -1);
}

/** Where the string that begins at `from` has its closing quote; -1 when it has none, or holds what no JSON string holds. */
function closingQuote(bytes: Uint8Array, from: number): number {
  for (let i = from; i < bytes.length; i += 1) {
    const byte = bytes[i]!;
    if (byte === quote) return i;
    if (byte === backslash) i += 1;
    else if (byte < space) return -1;
  }
  return -1;
}

/** A loop, as the pieces are short: the calls that do the same cost more than the work. */
function standsAt(bytes: Uint8Array, at: number, expected: Uint8Array): boolean {
  const { length } = expected;
  if (at + length > bytes.length) return false;
  for (let i = 0; i < length; i += 1) if (bytes[at + i] !== expected[i]) return false;
  return true;
}

/** Takes bytes of a JSON string, without its quotes: those of `bytes` from `from` up to `to`. */
export type TakeEscaped = (bytes: Uint8Array, from: number, to: number) => void;

/**
 * Recognises plain pieces of text in one stream. What stands around the text is the same in every frame of an answer, so
 * after the first one two comparisons tell, and the frame's beginning, model name and all, is put in ready-made.
 */
export class PlainPieces {
  readonly #model: ModelRewriter;
  readonly #onText: TakeEscaped;
  #before = nothing;
  #after = nothing;
  /** What goes out instead of each; null when it is the same. */
  #newBefore: Uint8Array | null = null;
  #newAfter: Uint8Array | null = null;
  /** Where the frame ended that was passed last. */
  next = 0;

  constructor(
    model: string,
    onText: TakeEscaped,
    private readonly keepsNullUsage = true,
  ) {
    this.#model = new ModelRewriter(model);
    this.#onText = onText;
  }

  /** The frame that begins at `at` and ends by `to`, as it goes to the client; null unless it is like one before. */
  pass(bytes: Uint8Array, at = 0, to = bytes.length): Uint8Array | null {
    const before = this.#before;
    if (before.length === 0 || !standsAt(bytes, at, before)) return null;
    const from = at + before.length;
    const end = closingQuote(bytes, from);
    // An empty piece is no output, and somebody has to look at it.
    if (end <= from || !standsAt(bytes, end, this.#after)) return null;
    const next = end + this.#after.length;
    if (next > to) return null;
    this.next = next;
    this.#onText(bytes, from, end);
    if (this.#newAfter) return spliced(this.#newBefore ?? before, bytes, from, end, this.#newAfter);
    if (this.#newBefore) return spliced(this.#newBefore, bytes, from, next);
    return at === 0 && next === bytes.length ? bytes : bytes.subarray(at, next);
  }

  /** The first piece of its kind: the frame as it goes to the client, or null when it is more than a piece of text. */
  learn(frame: Uint8Array): Uint8Array | null {
    if (!isPlainDelta(frame)) return null;
    const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
    const from = bytes.indexOf(content) + content.length;
    const end = closingQuote(frame, from);
    if (end === -1) return null;
    // Copies, which `slice` of a Buffer is not: the frame's memory belongs to the chunk it came in.
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

/** Members of that name that say nothing: nobody asked for them, and some clients take them for a mistake. */
function withoutNullUsage(bytes: Uint8Array): Uint8Array {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const member of nullUsage) {
    const at = whole.indexOf(member);
    if (at === -1) continue;
    return withoutNullUsage(Buffer.concat([whole.subarray(0, at), whole.subarray(at + member.length)]));
  }
  return bytes;
}

/** A new frame each: whoever gets one may keep it. */
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

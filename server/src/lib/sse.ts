import { withEscapedEnds } from './one-line.ts';

/** One event of a `text/event-stream` (WHATWG HTML §9.2). `event` is empty where the stream names none. */
export interface SseEvent {
  event: string;
  data: string;
  id?: string;
}

const LF = 10;
const CR = 13;
const decoder = new TextDecoder();

/** Events may contain base64 images; an upstream that sends more is broken. */
const defaultMaxEventBytes = 32 * 1024 * 1024;

export class SseOverflow extends Error {
  constructor(limit: number) {
    super(`an event is larger than ${limit} bytes`);
    this.name = 'SseOverflow';
  }
}

/**
 * Splits a byte stream into whole frames, each with its terminating blank line. The concatenated frames equal the
 * input, so that a relay can forward them unchanged. Lines may end in LF, CR or CRLF.
 */
export class SseFramer {
  #buffer = new Uint8Array(0);
  #length = 0;
  #scanned = 0;
  #lineIsEmpty = true;
  #afterCr = false;

  constructor(private readonly maxEventBytes = defaultMaxEventBytes) {}

  /** Nothing is buffered: the next byte starts a frame. */
  get idle(): boolean {
    return this.#length === 0 && this.#lineIsEmpty && !this.#afterCr;
  }

  push(chunk: Uint8Array): Uint8Array[] {
    if (this.#length === 0) return this.#cut(chunk, chunk.length);
    this.#append(chunk);
    return this.#cut(this.#buffer, this.#length);
  }

  /** What came after the last blank line. */
  end(): Uint8Array {
    const rest = this.#buffer.subarray(0, this.#length);
    this.#buffer = new Uint8Array(0);
    this.#length = 0;
    this.#scanned = 0;
    return rest;
  }

  #append(chunk: Uint8Array): void {
    const needed = this.#length + chunk.length;
    if (needed > this.#buffer.length) {
      // Doubling keeps an event in many small chunks linear in its size.
      const grown = new Uint8Array(Math.max(needed, this.#buffer.length * 2));
      grown.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = grown;
    }
    this.#buffer.set(chunk, this.#length);
    this.#length = needed;
  }

  #cut(bytes: Uint8Array, length: number): Uint8Array[] {
    const frames: Uint8Array[] = [];
    let start = 0;
    let lineIsEmpty = this.#lineIsEmpty;
    let afterCr = this.#afterCr;
    for (let i = this.#scanned; i < length; i++) {
      const byte = bytes[i]!;
      if (byte !== LF && byte !== CR) {
        lineIsEmpty = false;
        afterCr = false;
      } else if (byte === LF && afterCr) {
        afterCr = false;
      } else {
        if (lineIsEmpty) {
          let end = i + 1;
          if (byte === CR && end < length && bytes[end] === LF) end = ++i + 1;
          frames.push(bytes.subarray(start, end));
          start = end;
          afterCr = byte === CR && bytes[end - 1] === CR;
        } else {
          afterCr = byte === CR;
        }
        lineIsEmpty = true;
      }
    }
    this.#lineIsEmpty = lineIsEmpty;
    this.#afterCr = afterCr;
    this.#keep(bytes, start, length);
    return frames;
  }

  /** Returned frames share the input's memory, so the rest is copied, which `slice` of a Buffer would not do. */
  #keep(bytes: Uint8Array, start: number, length: number): void {
    const rest = length - start;
    if (rest > this.maxEventBytes) throw new SseOverflow(this.maxEventBytes);
    if (rest === 0) this.#buffer = new Uint8Array(0);
    else if (start > 0 || bytes !== this.#buffer) this.#buffer = new Uint8Array(bytes.subarray(start, length));
    this.#length = rest;
    this.#scanned = rest;
  }
}

/** The event of a frame, or undefined for comments or an empty frame. */
export function parseFrame(frame: Uint8Array): SseEvent | undefined {
  const text = decoder.decode(frame);
  // Nearly every frame of a model's stream is one data line.
  if (text.startsWith('data: ') && text.length > 7 && text.indexOf('\n') === text.length - 2 && !text.includes('\r')) {
    return { event: '', data: text.slice(6, -2) };
  }
  let event = '';
  let id: string | undefined;
  let data: string | undefined;
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  while (at < text.length) {
    let end = at;
    while (end < text.length && text.charCodeAt(end) !== LF && text.charCodeAt(end) !== CR) end++;
    if (end > at && text[at] !== ':') {
      const colon = text.indexOf(':', at);
      const nameEnd = colon === -1 || colon > end ? end : colon;
      const name = text.slice(at, nameEnd);
      let valueAt = Math.min(nameEnd + 1, end);
      if (text[valueAt] === ' ' && valueAt < end) valueAt++;
      const value = text.slice(valueAt, end);
      if (name === 'data') data = data === undefined ? value : `${data}\n${value}`;
      else if (name === 'event') event = value;
      else if (name === 'id') id = value;
    }
    at = end + 1;
  }
  if (data === undefined) return undefined;
  return id === undefined ? { event, data } : { event, data, id };
}

/** Parses a byte stream into events, however it was chunked. */
export class SseParser {
  readonly #framer: SseFramer;

  constructor(maxEventBytes = defaultMaxEventBytes) {
    this.#framer = new SseFramer(maxEventBytes);
  }

  push(chunk: Uint8Array): SseEvent[] {
    return parseFrames(this.#framer.push(chunk));
  }

  /** Servers often omit the last blank line, so an unterminated last event counts. */
  end(): SseEvent[] {
    return parseFrames([this.#framer.end()]);
  }
}

function parseFrames(frames: Uint8Array[]): SseEvent[] {
  const events: SseEvent[] = [];
  for (const frame of frames) {
    const event = parseFrame(frame);
    if (event !== undefined) events.push(event);
  }
  return events;
}

/** `data` is JSON of one line. */
export const sseData = (data: string): string => `data: ${withEscapedEnds(data)}\n\n`;

export const sseEvent = (event: string, data: string): string => `event: ${event}\n${sseData(data)}`;

export const sseType = 'text/event-stream; charset=utf-8';

/** A comment keeps an idle connection open; a single line, as some readers fail on more. */
export const ssePing = ': ping\n\n';

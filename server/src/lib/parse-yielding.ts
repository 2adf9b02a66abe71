import { YieldTimer } from './map-yielding.ts';

/** Parsed at once: a few milliseconds for any content. */
const runBytes = 128 * 1024;
/** Deeper values are parsed together with their container. */
const deepest = 8;

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Like `JSON.parse`, but yields to the event loop: megabytes of numbers take a second. */
export async function parseYielding(bytes: Buffer, parse: (text: string) => unknown = JSON.parse): Promise<unknown> {
  if (bytes.length <= runBytes) return parse(bytes.toString());
  const reader = new Reader(bytes, parse);
  const turns = new YieldTimer();
  while (reader.on()) if (turns.due) await turns.give();
  return reader.value;
}

/** An array or object that is open. */
interface Open {
  isArray: boolean;
  /** Offset of its start. */
  start: number;
  /** Offsets of its member name, if it is in an object. */
  name: [from: number, to: number];
  /** The items parsed so far; null while it may still be parsed as part of its container. */
  value: unknown[] | Record<string, unknown> | null;
  /** Offset of what is not parsed yet. */
  from: number;
  /** Whether a value was already placed before `from`, so that a comma comes next. */
  afterValue: boolean;
}

/** Finds item boundaries, and parses items in runs. */
class Reader {
  value: unknown;
  #at = 0;
  #depth = 0;
  #ended = false;
  #lastString: [number, number] = [0, 0];
  readonly #open: Open[] = [];

  constructor(
    readonly bytes: Buffer,
    /** Gets whole values, and items and members in brackets of their own. */
    readonly parse: (text: string) => unknown,
  ) {}

  /** Continues to the end of the next parsed run; false at the end. */
  on(): boolean {
    const { bytes } = this;
    while (this.#at < bytes.length) {
      const at = this.#at;
      const byte = bytes[at]!;
      this.#at += 1;
      if (byte === comma) {
        if (this.#depth === this.#open.length && this.#separate(at)) return true;
      } else if (byte === quote) this.#skipString(at);
      else if (byte === openBracket || byte === openBrace) this.#begin(at, byte === openBracket);
      else if ((byte === closeBracket || byte === closeBrace) && this.#end(at, byte === closeBracket)) return true;
    }
    if (!this.#ended) this.#finish();
    return false;
  }

  #skipString(start: number): void {
    let at = start + 1;
    for (;;) {
      const close = this.bytes.indexOf(quote, at);
      if (close < 0) throw new SyntaxError('unterminated string');
      let before = close;
      while (this.bytes[before - 1] === backslash) before -= 1;
      at = close + 1;
      if ((close - before) % 2 === 0) break;
    }
    this.#lastString = [start, at];
    this.#at = at;
  }

  #begin(start: number, isArray: boolean): void {
    this.#depth += 1;
    if (this.#depth > deepest) return;
    if (this.#ended) throw new SyntaxError('unexpected text after the value');
    this.#open.push({ isArray, start, name: this.#lastString, value: null, from: start + 1, afterValue: false });
  }

  /** Called after an item; true if a run was parsed. */
  #separate(at: number): boolean {
    const open = this.#open.at(-1);
    if (!open) throw new SyntaxError('unexpected comma at the top level');
    if (open.afterValue) {
      this.#expectBlank(open.from, at);
      open.afterValue = false;
      open.from = at + 1;
      return false;
    }
    if (at - open.from < runBytes) return false;
    this.#take(open, at);
    open.from = at + 1;
    return true;
  }

  #end(at: number, isArray: boolean): boolean {
    this.#depth -= 1;
    if (this.#depth >= deepest) return false;
    const open = this.#open.pop();
    if (open?.isArray !== isArray) throw new SyntaxError('brackets do not match');
    if (open.value === null && this.#open.length > 0) return false;
    if (open.value === null) open.value = this.parse(this.bytes.toString('utf8', open.start, at + 1)) as Open['value'];
    else if (open.afterValue) this.#expectBlank(open.from, at);
    else this.#take(open, at);
    this.#place(open, at + 1);
    return true;
  }

  /** Adds a separately parsed value to its container, after everything before it. */
  #place({ value, start, name }: Open, end: number): void {
    const outer = this.#open.at(-1);
    if (!outer) {
      this.#expectBlank(0, start);
      this.#ended = true;
      this.value = value;
      this.#expectBlank(end, this.bytes.length);
      return;
    }
    if (outer.afterValue) throw new SyntaxError('a comma is missing');
    this.#take(outer, start, 'null');
    if (Array.isArray(outer.value)) outer.value[outer.value.length - 1] = value;
    else outer.value![JSON.parse(this.bytes.toString('utf8', ...name)) as string] = value;
    outer.afterValue = true;
    outer.from = end;
  }

  /** Parses the text in between, with a placeholder for a known value. */
  #take(open: Open, to: number, last = ''): void {
    const text = this.bytes.toString('utf8', open.from, to) + last;
    if (open.isArray) {
      const items = this.parse(`[${text}]`) as unknown[];
      if (items.length === 0) throw new SyntaxError('an item is missing');
      open.value ??= [];
      for (const item of items) (open.value as unknown[]).push(item);
    } else {
      const members = Object.entries(this.parse(`{${text}}`) as Record<string, unknown>);
      if (members.length === 0) throw new SyntaxError('an object member is missing');
      open.value ??= {};
      // Defined rather than assigned, since assigning `__proto__` would set the prototype.
      for (const [name, value] of members)
        Object.defineProperty(open.value, name, { value, writable: true, enumerable: true, configurable: true });
    }
  }

  #expectBlank(from: number, to: number): void {
    if (/[^ \t\r\n]/.test(this.bytes.toString('utf8', from, to)))
      throw new SyntaxError('unexpected text between values');
  }

  /** No brackets, or unclosed ones. */
  #finish(): void {
    if (this.#depth > 0) throw new SyntaxError('brackets are not closed');
    this.#ended = true;
    this.value = this.parse(this.bytes.toString());
  }
}

import { AppError } from './errors.ts';

/**
 * Limits on the shape of large JSON bodies. Megabytes in a few strings, such as images, are parsed in milliseconds; the
 * same size made of small values, names or escapes blocks the event loop for seconds. Each limit is far above what a
 * conversation needs, and takes at most a few hundredths of a second.
 */
export const shapeLimits = {
  /** Member names: an object with many different ones is the slowest to build. */
  names: 60_000,
  /** All members and items together. */
  values: 300_000,
  /**
   * Escapes such as `
   * `, which are decoded one by one.
   */
  escapes: 500_000,
  /** Bytes outside strings: numbers, white space. */
  bare: 3 * 1024 * 1024,
  depth: 200,
};
type What = keyof typeof shapeLimits;

const told: Record<What, string> = {
  names: 'has too many members',
  values: 'has too many values',
  escapes: 'has too many escapes in its strings',
  bare: 'has too much data outside of strings',
  depth: `is nested deeper than ${shapeLimits.depth} levels`,
};

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];
/** Yields to the event loop after scanning this many bytes. */
const sliceBytes = 4 * 1024 * 1024;

/** Refuses JSON that would take long to parse, before parsing it. Whether it is valid is left to the parser. */
export async function refuseHeavy(bytes: Uint8Array): Promise<void> {
  const look = new Look(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  while (look.on()) await new Promise((next) => setImmediate(next));
}

/** Smaller JSON is parsed within milliseconds, whatever its shape. */
export const largeBytes = 64 * 1024;

/**
 * Whether JSON within strings, such as the arguments of tool calls, would take long to parse, all of it together: as part
 * of a body it was only text. What needs quotes is bounded there already, where each quote is an escape, unless it was
 * `encoded` in another way.
 */
export function isHeavy(texts: readonly string[], encoded = false): boolean {
  const nested = texts.filter((text) => /^\s*[[{]/.test(text));
  if (nested.reduce((length, text) => length + text.length, 0) < largeBytes) return false;
  const seen = { ...nothingSeen };
  if (!encoded) seen.names = seen.escapes = Number.NEGATIVE_INFINITY;
  try {
    for (const text of nested) {
      const look = new Look(Buffer.from(text), seen);
      while (look.on());
      seen.depth = 0;
    }
    return false;
  } catch {
    return true;
  }
}

const refuse = (what: What): never => {
  throw new AppError('invalid_value', `The request body ${told[what]}.`, { param: 'body' });
};

/** Strings are scanned byte by byte up to here; beyond it, `indexOf` finds the end ten times faster. */
const shortString = 256;

const nothingSeen: Readonly<Record<What, number>> = { names: 0, values: 0, escapes: 0, bare: 0, depth: 0 };

class Look {
  #at = 0;
  #inString = false;
  /** Position of the next quote, cached: searching from every escape again would be quadratic. */
  #nextQuote = -1;
  readonly #seen: Record<What, number>;

  constructor(
    readonly text: Buffer,
    seen: Record<What, number> = { ...nothingSeen },
  ) {
    this.#seen = seen;
  }

  /** Scans the next few megabytes; false at the end. */
  on(): boolean {
    const turn = Math.min(this.text.length, this.#at + sliceBytes);
    while (this.#at < turn) {
      if (this.#inString) this.#skipString();
      else this.#lookOutside();
    }
    return this.#at < this.text.length;
  }

  #quoteFrom(at: number): number {
    if (this.#nextQuote >= at) return this.#nextQuote;
    const found = this.text.indexOf(quote, at);
    this.#nextQuote = found < 0 ? this.text.length : found;
    return this.#nextQuote;
  }

  #lookOutside(): void {
    const seen = this.#seen;
    const end = this.#quoteFrom(this.#at);
    seen.bare += end - this.#at;
    if (seen.bare > shapeLimits.bare) refuse('bare');
    for (let i = this.#at; i < end; i += 1) {
      const byte = this.text[i]!;
      if (byte === comma) seen.values += 1;
      else if (byte === colon) seen.names += 1;
      else if (byte === openBracket || byte === openBrace) {
        seen.values += 1;
        seen.depth += 1;
        if (seen.depth > shapeLimits.depth) refuse('depth');
      } else if (byte === closeBracket || byte === closeBrace) seen.depth -= 1;
    }
    if (seen.names > shapeLimits.names) refuse('names');
    if (seen.values > shapeLimits.values) refuse('values');
    this.#at = end + 1;
    this.#inString = true;
  }

  /** Skips to the end of the string, or to the next distant escape. */
  #skipString(): void {
    const { text } = this;
    let at = this.#at;
    for (const near = Math.min(text.length, at + shortString); at < near; at += 1) {
      const byte = text[at]!;
      if (byte === quote) {
        this.#at = at + 1;
        this.#inString = false;
        return;
      }
      if (byte !== backslash) continue;
      this.#seen.escapes += 1;
      at += 1;
    }
    if (this.#seen.escapes > shapeLimits.escapes) refuse('escapes');
    const close = this.#quoteFrom(at);
    const escaped = text.subarray(at, close).indexOf(backslash);
    this.#at = escaped < 0 ? close : at + escaped;
  }
}

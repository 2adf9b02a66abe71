import { AppError } from '../../lib/errors.ts';

/**
 * What a large body may be made of. Megabytes within a few strings, such as pictures, are read in milliseconds; a body of
 * as many small values, names or escapes takes seconds, all at once. Each limit is far beyond what a conversation has, and
 * what it allows is read within a few hundredths of a second.
 */
export const shapeLimits = {
  /** Names of members: an object of many different ones is the slowest there is to make. */
  names: 60_000,
  /** Members and items of everything together. */
  values: 300_000,
  /** `\n` and the like, which are undone one by one. */
  escapes: 500_000,
  /** Bytes that stand in no string: numbers, blanks. */
  bare: 3 * 1024 * 1024,
  depth: 200,
};
type What = keyof typeof shapeLimits;

const told: Record<What, string> = {
  names: 'has too many members',
  values: 'has too many values',
  escapes: 'has too many escapes in its strings',
  bare: 'has too much outside of strings',
  depth: `is nested deeper than ${shapeLimits.depth} levels`,
};

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];
/** After so many bytes looked at one by one everybody else gets a turn. */
const sliceBytes = 4 * 1024 * 1024;

/** Refuses JSON that would take long to read, before it is read. Whether it is JSON at all is the parser's to say. */
export async function refuseHeavy(bytes: Uint8Array): Promise<void> {
  const look = new Look(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  while (look.on()) await new Promise((next) => setImmediate(next));
}

const refuse = (what: What): never => {
  throw new AppError('invalid_value', `The request body ${told[what]}.`, { param: 'body' });
};

/** So far strings are looked at byte by byte; a picture's is then searched for its end, which is ten times faster. */
const shortString = 256;

class Look {
  #at = 0;
  #inString = false;
  /** The next quote, searched for once: from every escape anew, a long text would be read again and again. */
  #nextQuote = -1;
  readonly #seen: Record<What, number> = { names: 0, values: 0, escapes: 0, bare: 0, depth: 0 };

  constructor(readonly text: Buffer) {}

  /** Looks at the next few megabytes; false when there are no more. */
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

  /** To the end of the string, or to the next escape that stands far off. */
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

import { randomString } from './ids.ts';

/**
 * JSON that is passed on, with numbers that a double cannot hold: ids of 64 bits, and amounts with many digits. They are
 * parsed to objects that `JSON.stringify` writes as they came; all other values are those of `JSON.parse`.
 */
export function parseExactly(text: string): unknown {
  const marked = markedNumbers(text);
  return marked === text ? JSON.parse(text) : restoredNumbers(JSON.parse(marked));
}

/**
 * The same for numbers of many digits below members of these names; anywhere else a number is a number, as `JSON.parse`
 * reads it. Large texts are searched several times faster than parsed.
 */
export const parseExactlyBelow = (text: string, names: ReadonlySet<string>): unknown =>
  manyDigits.test(text) ? restoredNumbers(JSON.parse(withMarks(text)), names) : JSON.parse(text);

/** The same for a large text that is parsed piece by piece: `parse` gets the pieces, `whole` what became of them. */
export class ExactPieces {
  #marked = false;

  constructor(private readonly names: ReadonlySet<string>) {}

  readonly parse = (text: string): unknown => {
    if (!manyDigits.test(text)) return JSON.parse(text);
    this.#marked = true;
    return JSON.parse(withMarks(text));
  };

  whole(value: unknown): unknown {
    return this.#marked ? restoredNumbers(value, this.names) : value;
  }
}

/** For programs that parse by themselves: such numbers as strings, until `restoredNumbers` gets what was parsed. */
export const markedNumbers = (text: string): string => (mayHold.test(text) ? withMarks(text) : text);

/** With each number that a double cannot hold as a marked string. By hand: a pattern could look at a text many times. */
function withMarks(text: string): string {
  const pieces: string[] = [];
  let taken = 0;
  for (let at = 0; at < text.length; ) {
    const letter = text.charCodeAt(at);
    const end = letter === quote ? endOfString(text, at) : isOfNumber(letter) ? endOfNumber(text, at) : at + 1;
    if (letter !== quote && end - at >= shortest) {
      const written = text.slice(at, end);
      if (isNumber.test(written) && !isExact(written)) {
        pieces.push(text.slice(taken, at), `"${mark}${written}"`);
        taken = end;
      }
    }
    at = end;
  }
  return pieces.join('') + text.slice(taken);
}

const [quote, backslash] = [0x22, 0x5c];
/** `1e400` is the shortest number that a double cannot hold. */
const shortest = 5;

/** Digits, `+`, `-`, `.`, `e` and `E`. */
const isOfNumber = (letter: number): boolean =>
  (letter >= 0x30 && letter <= 0x39) || [0x2b, 0x2d, 0x2e, 0x45, 0x65].includes(letter);

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && isOfNumber(text.charCodeAt(end))) end += 1;
  return end;
}

function endOfString(text: string, start: number): number {
  for (let end = start + 1; end < text.length; end += 1) {
    const letter = text.charCodeAt(end);
    if (letter === quote) return end + 1;
    if (letter === backslash) end += 1;
  }
  return text.length;
}

/** A number as it was written. */
export const isRawNumber = (value: unknown): boolean => raw.isRawJSON(value);

// Part of ES2026; the type library does not have it yet.
const raw = JSON as typeof JSON & { rawJSON(text: string): object; isRawJSON(value: unknown): boolean };

/** Quick: doubles hold every number of up to 15 digits, if its exponent has no more than two. */
const mayHold = /[\d.]{16}|\d[eE][+-]?\d{3}/;
/** As a value. */
const manyDigits = /[:,[\s-]\d[\d.]{15}/;
const isNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Whether the number that is written back has the same value. */
function isExact(written: string): boolean {
  if (written.length < 16 && !/[eE][+-]?\d{3}/.test(written)) return true;
  const back = Number(written);
  return Number.isFinite(back) && digitsOf(String(back)) === digitsOf(written);
}

/** Significant digits and exponent: equal for `1.50e3` and `1500`. */
function digitsOf(written: string): string {
  const [mantissa, exponent = '0'] = written.toLowerCase().split('e') as [string, string?];
  const [whole, fraction = ''] = mantissa.replace('-', '').split('.') as [string, string?];
  const digits = (whole + fraction).replace(/^0+/, '');
  let kept = digits.length;
  while (kept > 0 && digits[kept - 1] === '0') kept -= 1;
  if (kept === 0) return '0';
  return `${digits.slice(0, kept)}e${Number(exponent) - fraction.length + digits.length - kept}`;
}

/** Nobody else knows it, so no text of a message begins with it. */
const mark = `${randomString(24)}:`;

/** Changes objects and arrays in place. `below`: as in `parseExactlyBelow`. */
export function restoredNumbers(value: unknown, below?: ReadonlySet<string>): unknown {
  const whole = { value };
  const waiting: { holder: Record<string, unknown>; exact: boolean }[] = [{ holder: whole, exact: !below }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { holder } = next;
    for (const name of Object.keys(holder)) {
      const exact = next.exact || below!.has(name);
      const member = holder[name];
      if (typeof member === 'object' && member !== null)
        waiting.push({ holder: member as Record<string, unknown>, exact });
      else if (typeof member === 'string' && member.startsWith(mark)) {
        const written = member.slice(mark.length);
        Object.defineProperty(holder, name, {
          value: exact ? raw.rawJSON(written) : Number(written),
          ...{ enumerable: true, writable: true, configurable: true },
        });
      }
    }
  }
  return whole.value;
}

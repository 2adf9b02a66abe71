import { randomString } from './ids.ts';

/**
 * JSON that is passed on, with numbers that a double cannot hold: ids of 64 bits, and amounts with many digits. They are
 * parsed to objects that `JSON.stringify` writes as they came; all other values are those of `JSON.parse`.
 */
export function parseExactly(text: string): unknown {
  if (!mayHold.test(text)) return JSON.parse(text);
  let isAny = false;
  const marked = text.replace(stringOrNumber, (found) => {
    if (found.startsWith('"') || !isNumber.test(found) || isExact(found)) return found;
    isAny = true;
    return `"${mark}${found}"`;
  });
  const value: unknown = JSON.parse(marked);
  return isAny ? unmarked(value) : value;
}

/** A number as it was written. */
export const isRawNumber = (value: unknown): boolean => raw.isRawJSON(value);

// Part of ES2026; the type library does not have it yet.
const raw = JSON as typeof JSON & { rawJSON(text: string): object; isRawJSON(value: unknown): boolean };

/** Quick: doubles hold every number of up to 15 digits, if its exponent has no more than two. */
const mayHold = /[\d.]{16}|\d[eE][+-]?\d{3}/;
/** Strings, to leave them out, and numbers that are long or have a large exponent. */
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]{14,}|-?\d+(?:\.\d+)?[eE][+-]?\d{3,}/g;
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
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return '0';
  return `${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}

/** Nobody else knows it, so no text of a message begins with it. */
const mark = `${randomString(24)}:`;

function unmarked(value: unknown): unknown {
  const whole = { value };
  const waiting: Record<string, unknown>[] = [whole];
  for (let holder = waiting.pop(); holder; holder = waiting.pop())
    for (const name of Object.keys(holder)) {
      const member = holder[name];
      if (typeof member === 'object' && member !== null) waiting.push(member as Record<string, unknown>);
      else if (typeof member === 'string' && member.startsWith(mark))
        Object.defineProperty(holder, name, {
          value: raw.rawJSON(member.slice(mark.length)),
          ...{ enumerable: true, writable: true, configurable: true },
        });
    }
  return whole.value;
}

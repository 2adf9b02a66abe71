import { digitCodes } from './base62.ts';

/** Random bytes drawn in bulk, since each draw costs as much as hundreds of bytes; every byte is used once. */
const pool = new Uint8Array(4096);
let used = pool.length;

function randomByte(): number {
  if (used === pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  const byte = pool[used]!;
  pool[used] = 0;
  used += 1;
  return byte;
}

/** Characters are collected here: concatenating one at a time builds a rope, which costs several times as much. */
const letters = Buffer.alloc(256);

/** Uniformly random characters of [0-9A-Za-z]; bytes of 248 and above are rejected to avoid bias. */
export function randomString(length: number): string {
  let out = '';
  for (let left = length; left > 0; left -= letters.length) out += randomLetters(Math.min(left, letters.length));
  return out;
}

function randomLetters(length: number): string {
  let at = 0;
  while (at < length) {
    const byte = randomByte();
    if (byte >= 248) continue;
    letters[at] = digitCodes[byte % 62]!;
    at += 1;
  }
  const out = letters.toString('latin1', 0, length);
  letters.fill(0, 0, length);
  return out;
}

/** Milliseconds in base 36, until the year 5188. */
const timeLength = 9;

/**
 * A timestamp followed by random characters, for index keys. Consecutive keys are adjacent in the index, so that a
 * batch changes one page at its end instead of a page per row. The 23 random characters have 137 bits.
 */
export function timedString(length: number): string {
  const now = Date.now();
  if (now !== written.ms) written = { ms: now, text: now.toString(36).padStart(timeLength, '0') };
  return written.text + randomString(length - timeLength);
}

/** The last timestamp, cached: a busy process makes many ids per millisecond. */
let written = { ms: -1, text: '' };

const firstCount = 1_000_000;
let prefix = randomString(10);
let counter = firstCount;

/** A request id: random per process, then counted, since drawing random bytes per request costs more. */
export function requestId(): string {
  if (counter === 10 * firstCount) {
    prefix = randomString(10);
    counter = firstCount;
  }
  counter += 1;
  return `req_${prefix}${counter - 1}`;
}

/** Random hexadecimal digits; `length` must be even. */
export function randomHex(length: number): string {
  let out = '';
  while (out.length < length) out += randomByte().toString(16).padStart(2, '0');
  return out;
}

const timeDigits = 12;
const countDigits = 4;
let lastNamed = { ms: -1, count: 0 };

/**
 * Hexadecimal: the time in milliseconds, a counter within it, and random digits. Its position in a list is known even
 * after the row is gone.
 */
export function timedHex(nowMs: number, length: number): string {
  lastNamed = { ms: nowMs, count: nowMs === lastNamed.ms ? (lastNamed.count + 1) % 16 ** countDigits : 0 };
  const time = nowMs.toString(16).padStart(timeDigits, '0');
  const count = lastNamed.count.toString(16).padStart(countDigits, '0');
  return time + count + randomHex(length - timeDigits - countDigits);
}

/** Older names were random, and almost none of them decodes to a later time. */
const firstMs = Date.UTC(2026, 0);

/** When such a name was made, in milliseconds; null for other names. */
export function timeIn(name: string, nowMs: number): number | null {
  const ms = /^[0-9a-f]{24,}/.test(name) ? Number.parseInt(name.slice(0, timeDigits), 16) : 0;
  return ms >= firstMs && ms <= nowMs ? ms : null;
}

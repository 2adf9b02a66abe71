import { digitCodes } from './base62.ts';

/** Drawn in one go, since each draw costs as much as hundreds of bytes; a byte is used once. */
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

/** Where characters are gathered: a string grown by one at a time is a chain of pieces, and costs several times as much. */
const letters = Buffer.alloc(256);

/** Uniform random characters of [0-9A-Za-z]; bytes of 248 and over are thrown away so that none is likelier. */
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
 * The time, then random characters: for names that rows are found by. What is named one after the other then stands side by
 * side in an index, and a write changes the one page at its end instead of as many pages as it has rows. The rest is as hard
 * to guess as ever: 23 characters are 137 bits.
 */
export function timedString(length: number): string {
  const now = Date.now();
  if (now !== written.ms) written = { ms: now, text: now.toString(36).padStart(timeLength, '0') };
  return written.text + randomString(length - timeLength);
}

/** The last time that was asked for: of a busy process many names fall into one millisecond. */
let written = { ms: -1, text: '' };

const firstCount = 1_000_000;
let prefix = randomString(10);
let counter = firstCount;

/** Unique id of one request: random per process, counted within, since drawing random bytes per request costs more. */
export function requestId(): string {
  if (counter === 10 * firstCount) {
    prefix = randomString(10);
    counter = firstCount;
  }
  counter += 1;
  return `req_${prefix}${counter - 1}`;
}

/** Random hexadecimal digits, an even number of them. */
export function randomHex(length: number): string {
  let out = '';
  while (out.length < length) out += randomByte().toString(16).padStart(2, '0');
  return out;
}

const timeDigits = 12;
const countDigits = 4;
let lastNamed = { ms: -1, count: 0 };

/**
 * Hexadecimal: the time in milliseconds, which one it is of that time, and random digits. Where it stands in a list is known after
 * what it names is gone.
 */
export function timedHex(nowMs: number, length: number): string {
  lastNamed = { ms: nowMs, count: nowMs === lastNamed.ms ? (lastNamed.count + 1) % 16 ** countDigits : 0 };
  const time = nowMs.toString(16).padStart(timeDigits, '0');
  const count = lastNamed.count.toString(16).padStart(countDigits, '0');
  return time + count + randomHex(length - timeDigits - countDigits);
}

/** Names from before were random, and nearly none of those reads as a time since. */
const firstMs = Date.UTC(2026, 0);

/** When such a name was made, in milliseconds; null for another. */
export function timeIn(name: string, nowMs: number): number | null {
  const ms = /^[0-9a-f]{24,}/.test(name) ? Number.parseInt(name.slice(0, timeDigits), 16) : 0;
  return ms >= firstMs && ms <= nowMs ? ms : null;
}

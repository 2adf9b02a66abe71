const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

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

/** Uniform random characters of [0-9A-Za-z]; bytes of 248 and over are thrown away so that none is likelier. */
export function randomString(length: number): string {
  let out = '';
  while (out.length < length) {
    const byte = randomByte();
    if (byte < 248) out += alphabet[byte % 62];
  }
  return out;
}

let prefix = randomString(10);
let counter = 0;

/** Unique id of one request: random per process, counted within, since drawing random bytes per request costs more. */
export function requestId(): string {
  if (counter >= 0xffffff) {
    prefix = randomString(10);
    counter = 0;
  }
  counter += 1;
  return `req_${prefix}${counter.toString(36).padStart(5, '0')}`;
}

/** Random hexadecimal digits, an even number of them. */
export function randomHex(length: number): string {
  let out = '';
  while (out.length < length) out += randomByte().toString(16).padStart(2, '0');
  return out;
}

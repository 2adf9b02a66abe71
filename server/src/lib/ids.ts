const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Uniform random characters of [0-9A-Za-z]; bytes of 248 and over are thrown away so that none is likelier. */
export function randomString(length: number): string {
  let out = '';
  while (out.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length + 8))) {
      if (byte < 248 && out.length < length) out += alphabet[byte % 62];
    }
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

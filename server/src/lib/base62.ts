const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** The digits as bytes. */
export const digitCodes = Buffer.from(digits);

const values = new Uint8Array(128);
for (let i = 0; i < digits.length; i += 1) values[digitCodes[i]!] = i;

/** More digits than any 53-bit number has. */
const written = Buffer.alloc(64);

/** A number of up to 53 bits in base 62, padded with zeros to `length`, which must suffice. */
export function base62(number: number, length: number): string {
  let left = number;
  for (let at = length - 1; at >= 0; at -= 1) {
    const rest = Math.floor(left / 62);
    written[at] = digitCodes[left - rest * 62]!;
    left = rest;
  }
  return written.toString('latin1', 0, length);
}

/** The number again; other characters count as zero. */
export function fromBase62(text: string): number {
  let number = 0;
  for (let i = 0; i < text.length; i += 1) number = number * 62 + (values[text.charCodeAt(i)] ?? 0);
  return number;
}

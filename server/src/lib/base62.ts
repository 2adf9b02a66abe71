const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const values = new Uint8Array(128);
for (let i = 0; i < digits.length; i += 1) values[digits.charCodeAt(i)] = i;

/** A number of up to 53 bits as letters and digits, filled up with zeros to `length`. */
export function base62(number: number, length: number): string {
  // In two halves that fit 32 bits, so that the digits come from whole-number division.
  const high = Math.floor(number / half);
  return (high > 0 ? digitsOf(high) + digitsOf(number % half).padStart(5, '0') : digitsOf(number)).padStart(
    length,
    '0',
  );
}

const half = 62 ** 5;

function digitsOf(number: number): string {
  let text = '';
  for (let left = number; left > 0; left = (left / 62) | 0) text = digits[left % 62]! + text;
  return text;
}

/** The number again; what else the text may hold counts as zero. */
export function fromBase62(text: string): number {
  let number = 0;
  for (let i = 0; i < text.length; i += 1) number = number * 62 + (values[text.charCodeAt(i)] ?? 0);
  return number;
}

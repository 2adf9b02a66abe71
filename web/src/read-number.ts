/** Characters allowed around a copied number: `$1.50`, `100 USD`, `5 %`. */
const around = /[\p{L}\p{Sc}%\s]/u;

/** Accepted notations, each with its conversion to the format of our fields. The first match wins. */
const ways: [shape: RegExp, plain: (text: string) => string][] = [
  [/^\d*(?:\.\d*)?$/, (text) => text],
  // A comma before exactly three digits separates thousands, as our own pages write them.
  [/^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?$/, (text) => text.replaceAll(',', '')],
  [/^\d*,\d*$/, (text) => text.replace(',', '.')],
  [/^[1-9]\d{0,2}(?:\.\d{3})+,\d*$/, (text) => text.replaceAll('.', '').replace(',', '.')],
  [/^[1-9]\d{0,2}(?:\.\d{3}){2,}$/, (text) => text.replaceAll('.', '')],
  [/^[1-9]\d{0,2}(?:[ '’]\d{3})+(?:[.,]\d*)?$/, (text) => text.replace(/[ '’]/g, '').replace(',', '.')],
];

function trimmed(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && around.test(text[start]!)) start += 1;
  while (end > start && around.test(text[end - 1]!)) end -= 1;
  return text.slice(start, end);
}

/** `5.00` is a whole number; `5.000` is ambiguous, since it means five thousand in some locales. */
function wholeOf(plain: string): string | null {
  const [units = '', decimals = ''] = plain.split('.');
  return /[1-9]/.test(decimals) || decimals.length === 3 ? null : units;
}

/**
 * Converts a number as written by a user to the format of our fields: digits, and a point before the decimals. Null if
 * it is not a number or is ambiguous: the field keeps its value rather than take a different amount than meant.
 */
export function readNumber(text: string, whole: boolean): string | null {
  // NFKC maps full-width digits and punctuation of Chinese keyboards, and non-breaking spaces, to ASCII.
  const given = trimmed(text.normalize('NFKC').replaceAll('−', '-'));
  const negative = given.startsWith('-');
  const number = negative ? trimmed(given.slice(1)) : given;
  if (number === '') return negative || text.trim() === '' ? given : null;
  const plain = ways.find(([shape]) => shape.test(number))?.[1](number);
  const taken = plain !== undefined && whole && plain.includes('.') ? wholeOf(plain) : plain;
  return taken === undefined || taken === null ? null : `${negative ? '-' : ''}${taken}`;
}

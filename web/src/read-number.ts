/** What may stand around a number that was copied: `$1.50`, `100 USD`, `5 %`. */
const around = /[\p{L}\p{Sc}%\s]/u;

/** Ways to write a number, each with how to write it as our fields do. The first that fits holds. */
const ways: [shape: RegExp, plain: (text: string) => string][] = [
  [/^\d*(?:\.\d*)?$/, (text) => text],
  // Three digits after a comma are thousands, as our own pages write them.
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

/** `5.00` is whole; `5.000` may be five thousand elsewhere. */
function wholeOf(plain: string): string | null {
  const [units = '', decimals = ''] = plain.split('.');
  return /[1-9]/.test(decimals) || decimals.length === 3 ? null : units;
}

/**
 * A number as somebody wrote it, the way our fields write one: digits, and a point before the decimals. Null where it is no
 * number, or could be two: a field rather keeps what it had than takes ten times what was meant.
 */
export function readNumber(text: string, whole: boolean): string | null {
  // Wide digits, points and commas of Chinese keyboards, and blanks that do not break, are plain ones then.
  const given = trimmed(text.normalize('NFKC').replaceAll('−', '-'));
  const negative = given.startsWith('-');
  const number = negative ? trimmed(given.slice(1)) : given;
  if (number === '') return negative || text.trim() === '' ? given : null;
  const plain = ways.find(([shape]) => shape.test(number))?.[1](number);
  const taken = plain !== undefined && whole && plain.includes('.') ? wholeOf(plain) : plain;
  return taken === undefined || taken === null ? null : `${negative ? '-' : ''}${taken}`;
}

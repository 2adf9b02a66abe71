import { AppError } from '../../lib/errors.ts';
import { type Fields, fieldsOf, type Repeatable, setField } from './body.ts';

/** No form of ours has twenty fields; a megabyte of empty ones would take a second to parse. */
const mostFields = 1_000;

/** Form fields as URLSearchParams reads them, but without its iterators: most names and values need no decoding. */
export function parseForm(text: string, repeatable?: Repeatable): Fields {
  refuseMany(text);
  const fields: Fields = Object.create(null);
  // URLSearchParams strips the leading question mark.
  if (text.startsWith('?')) return fieldsOf(new URLSearchParams(text), repeatable);
  let from = 0;
  while (from < text.length) {
    const ampersand = text.indexOf('&', from);
    const end = ampersand < 0 ? text.length : ampersand;
    if (end > from) {
      const equals = text.indexOf('=', from);
      const middle = equals < 0 || equals > end ? end : equals;
      const name = formDecode(text.slice(from, middle));
      const value = formDecode(text.slice(middle + 1, end));
      // Not valid percent-encoding: URLSearchParams defines what it means.
      if (name === null || value === null) return fieldsOf(new URLSearchParams(text), repeatable);
      setField(fields, name, value, repeatable);
    }
    from = end + 1;
  }
  return fields;
}

function refuseMany(text: string): void {
  let found = 0;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) {
    found += 1;
    if (found >= mostFields) throw new AppError('invalid_request', `The form has more than ${mostFields} parameters.`);
  }
}

/** Decodes one name or value; null if it is not valid percent-encoding. */
export function formDecode(encoded: string): string | null {
  const text = encoded.includes('+') ? encoded.replaceAll('+', ' ') : encoded;
  let percent = text.indexOf('%');
  if (percent < 0) return text;
  let out = '';
  let from = 0;
  for (; percent >= 0; percent = text.indexOf('%', from)) {
    const code = hexDigit(text.charCodeAt(percent + 1)) * 16 + hexDigit(text.charCodeAt(percent + 2));
    // Non-ASCII or malformed: rare enough for the slow path.
    if (!(code < 0x80)) return decodeUtf8(text);
    out += text.slice(from, percent) + String.fromCharCode(code);
    from = percent + 3;
  }
  return out + text.slice(from);
}

function decodeUtf8(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** NaN if it is not a hex digit. */
function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : Number.NaN;
}

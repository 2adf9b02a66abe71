export interface ByteRange {
  start: number;
  end: number;
}

/**
 * One range of a `Range` header, both ends inclusive. Null: serve the whole, since a malformed header, or several
 * ranges, may be ignored (RFC 9110 §14.2). `unsatisfiable`: 416.
 */
export function rangeOf(header: string | null, size: number): ByteRange | 'unsatisfiable' | null {
  const found = header === null ? null : /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header);
  if (!found) return null;
  const [, first = '', last = ''] = found;
  if (first === '' && last === '') return null;
  if (first === '') {
    // The last n bytes (RFC 9110 §14.1.2).
    const length = Number(last);
    return length === 0 || size === 0 ? 'unsatisfiable' : { start: Math.max(0, size - length), end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Number(last);
  if (last !== '' && end < start) return null;
  return start >= size ? 'unsatisfiable' : { start, end: Math.min(end, size - 1) };
}

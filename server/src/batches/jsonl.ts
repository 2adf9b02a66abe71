/** A line of a file and its position. Without bytes: it is too long. */
export interface Line {
  /** As an editor counts, blank lines included. */
  number: number;
  first: number;
  last: number;
  bytes: Buffer | null;
}

/** Windows editors and spreadsheets begin UTF-8 files with it; it is no part of the text (RFC 3629 §6). */
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * The lines of a file while it is read, with at most one in memory. Blank lines and a byte-order mark at the beginning
 * are skipped.
 */
export async function* linesOf(content: ReadableStream<Uint8Array>, mostBytes: number): AsyncGenerator<Line> {
  let parts: Uint8Array[] = [];
  let size = 0;
  let number = 1;
  let first = 0;
  let at = 0;
  // The first line may be longer by the mark.
  const most = () => (number === 1 ? mostBytes + byteOrderMark.length : mostBytes);
  const line = (): Line => {
    const whole = size > most() ? null : Buffer.concat(parts);
    const marked = number === 1 && whole?.subarray(0, byteOrderMark.length).equals(byteOrderMark);
    const bytes = marked ? whole!.subarray(byteOrderMark.length) : whole;
    return {
      number,
      first: marked ? first + byteOrderMark.length : first,
      last: first + size - 1,
      bytes: bytes && bytes.length <= mostBytes ? bytes : null,
    };
  };
  const isBlank = ({ bytes }: Line): boolean => bytes !== null && bytes.toString('latin1').trim() === '';
  const add = (piece: Uint8Array) => {
    size += piece.byteLength;
    if (size <= most()) parts.push(piece);
    else parts = [];
  };
  for await (const chunk of content) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      add(chunk.subarray(from, end));
      const whole = line();
      if (size > 0 && !isBlank(whole)) yield whole;
      from = end + 1;
      number += 1;
      first = at + from;
      parts = [];
      size = 0;
    }
    add(chunk.subarray(from));
    at += chunk.byteLength;
  }
  const rest = line();
  if (size > 0 && !isBlank(rest)) yield rest;
}

/** A line of a file and its position. Without bytes: it is too long. */
export interface Line {
  /** As an editor counts, blank lines included. */
  number: number;
  first: number;
  last: number;
  bytes: Buffer | null;
}

const byteOrderMark = Buffer.from('\ufeff');

/** The first line of a file without its mark, which is not part of the JSON. */
const unmarked = (line: Line): Line =>
  line.first === 0 && line.bytes?.subarray(0, byteOrderMark.length).equals(byteOrderMark)
    ? { ...line, first: byteOrderMark.length, bytes: line.bytes.subarray(byteOrderMark.length) }
    : line;

/** The lines of a file while it is read, with at most one in memory. Blank lines are skipped. */
export async function* linesOf(content: ReadableStream<Uint8Array>, mostBytes: number): AsyncGenerator<Line> {
  let parts: Uint8Array[] = [];
  let size = 0;
  let number = 1;
  let first = 0;
  let at = 0;
  const line = (): Line => {
    const bytes = size > mostBytes ? null : Buffer.concat(parts);
    return unmarked({ number, first, last: first + size - 1, bytes });
  };
  const isBlank = ({ bytes }: Line): boolean => bytes !== null && bytes.toString('latin1').trim() === '';
  const add = (piece: Uint8Array) => {
    size += piece.byteLength;
    if (size <= mostBytes) parts.push(piece);
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

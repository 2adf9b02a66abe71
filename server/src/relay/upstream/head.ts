/** How the end of a body is known (RFC 9112 §6.3): chunks, a number of bytes, or the end of the connection. */
export type Framing = 'chunked' | 'close' | number;

export class MalformedAnswer extends Error {}

/** The head of an answer. */
export class AnswerHead {
  readonly framing: Framing;
  /** The connection may carry another request afterwards. */
  readonly keepAlive: boolean;

  constructor(
    readonly status: number,
    minor: string,
    /** By name in lower case; what came more than once is joined by commas. */
    readonly fields: ReadonlyMap<string, string>,
  ) {
    this.framing = framingOf(status, fields);
    const closes =
      fields
        .get('connection')
        ?.toLowerCase()
        .split(/[\s,]+/)
        .includes('close') ?? false;
    const ambiguous = fields.has('transfer-encoding') && fields.has('content-length');
    this.keepAlive = minor === '1' && this.framing !== 'close' && !closes && !ambiguous;
  }

  /** How the body is packed; empty for not at all. */
  get encoding(): string {
    return this.fields.get('content-encoding') ?? '';
  }

  /** Made when asked for: only refusals and errors are read that closely. */
  get headers(): Headers {
    return new Headers([...this.fields]);
  }
}

const statusLine = /^HTTP\/1\.([01]) (\d{3})(?: |$)/;
const digits = /^\d{1,15}$/;
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const printable = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Reads a head, without the blank line that ends it. */
export function parseHead(text: string): AnswerHead {
  const lines = text.split('\r\n');
  const match = statusLine.exec(lines[0]!);
  if (!match) throw new MalformedAnswer('the upstream does not speak HTTP/1.1');
  const fields = new Map<string, string>();
  for (let i = 1; i < lines.length; i += 1) addField(fields, lines[i]!);
  return new AnswerHead(Number(match[2]), match[1]!, fields);
}

function addField(fields: Map<string, string>, line: string): void {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(0, colon)).toLowerCase();
  const value = line.slice(colon + 1).trim();
  if (!token.test(name) || !printable.test(value)) throw new MalformedAnswer('the upstream sent a malformed header');
  const before = fields.get(name);
  fields.set(name, before === undefined ? value : `${before}, ${value}`);
}

/** Anything that could be read in two ways is refused (RFC 9112 §6.3). */
function framingOf(status: number, fields: ReadonlyMap<string, string>): Framing {
  if (status < 200 || status === 204 || status === 304) return 0;
  const coding = fields.get('transfer-encoding');
  if (coding !== undefined) {
    if (coding.toLowerCase() === 'chunked') return 'chunked';
    throw new MalformedAnswer(`the upstream sent an unknown transfer coding`);
  }
  const length = fields.get('content-length');
  if (length === undefined) return 'close';
  const [one, ...others] = length.split(',').map((part) => part.trim());
  if (!digits.test(one!) || others.some((other) => other !== one))
    throw new MalformedAnswer('the upstream sent a malformed content length');
  return Number(one);
}

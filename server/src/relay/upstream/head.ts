/** How the end of a body is known (RFC 9112 §6.3): chunks, a number of bytes, or the end of the connection. */
export type Framing = 'chunked' | 'close' | number;

export class MalformedAnswer extends Error {}

/** The head of an answer. Vendors send two dozen headers: the four that decide how to read on are looked for, no more. */
export class AnswerHead {
  readonly status: number;
  readonly framing: Framing;
  /** The connection may carry another request afterwards. */
  readonly keepAlive: boolean;
  /** How the body is packed; empty for not at all. */
  readonly encoding: string;

  /** `text` is known to be well-formed. */
  constructor(readonly text: string) {
    this.status = 100 * digitAt(text, statusAt) + 10 * digitAt(text, statusAt + 1) + digitAt(text, statusAt + 2);
    let length: string | undefined;
    let coding: string | undefined;
    let connection: string | undefined;
    let encoding: string | undefined;
    for (let from = nextLine(text, 0); from > 0; from = nextLine(text, from)) {
      const colon = text.indexOf(':', from);
      // By the length of the name first, so that the others cost no more than finding their end; nothing is cut out to compare.
      switch (colon - from) {
        case 10:
          if (isNamed(text, from, 'connection')) connection = joined(connection, text, colon);
          break;
        case 14:
          if (isNamed(text, from, 'content-length')) length = joined(length, text, colon);
          break;
        case 16:
          if (isNamed(text, from, 'content-encoding')) encoding = joined(encoding, text, colon);
          break;
        case 17:
          if (isNamed(text, from, 'transfer-encoding')) coding = joined(coding, text, colon);
      }
    }
    this.encoding = encoding ?? '';
    this.framing = framingOf(this.status, length, coding);
    const ambiguous = coding !== undefined && length !== undefined;
    this.keepAlive = text[minorAt] === '1' && this.framing !== 'close' && !ambiguous && !closes(connection);
  }

  /** Made when asked for: only refusals and errors are read that closely. */
  get headers(): Headers {
    const headers = new Headers();
    for (let from = nextLine(this.text, 0); from > 0; from = nextLine(this.text, from)) {
      const colon = this.text.indexOf(':', from);
      headers.append(this.text.slice(from, colon), valueAfter(this.text, colon));
    }
    return headers;
  }
}

const minorAt = 'HTTP/1.'.length;
const statusAt = 'HTTP/1.1 '.length;

/** Where the line after the one at `from` begins; 0 when there is none. */
function nextLine(text: string, from: number): number {
  const end = text.indexOf('\r\n', from);
  return end < 0 ? 0 : end + 2;
}

const digitAt = (text: string, at: number): number => text.charCodeAt(at) - 48;

/** Whether the name at `from` is this one, in lower case and as long as it. Upper case is 32 below lower case. */
function isNamed(text: string, from: number, name: string): boolean {
  for (let i = 0; i < name.length; i += 1) {
    const code = text.charCodeAt(from + i);
    const wanted = name.charCodeAt(i);
    if (code !== wanted && (code + 32 !== wanted || wanted === hyphen)) return false;
  }
  return true;
}

const hyphen = '-'.charCodeAt(0);

function valueAfter(text: string, colon: number): string {
  const end = text.indexOf('\r\n', colon);
  return text.slice(colon + 1, end < 0 ? text.length : end).trim();
}

/** What comes more than once is a list (RFC 9110 §5.3). */
const joined = (before: string | undefined, text: string, colon: number): string =>
  before === undefined ? valueAfter(text, colon) : `${before}, ${valueAfter(text, colon)}`;

const closes = (connection: string | undefined): boolean =>
  connection
    ?.toLowerCase()
    .split(/[\s,]+/)
    .includes('close') ?? false;

const statusLine = /^HTTP\/1\.[01] \d{3}(?: |\r|$)/;
/** The whole in one go: a status line, and lines of a token, a colon and what may be printed. */
const wellFormed = /^HTTP\/1\.[01] \d{3}(?: [^\r\n]*)?(?:\r\n[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*)*$/;
const digits = /^\d{1,15}$/;

/** Reads a head, without the blank line that ends it. */
export function parseHead(text: string): AnswerHead {
  if (wellFormed.test(text)) return new AnswerHead(text);
  if (statusLine.test(text)) throw new MalformedAnswer('the upstream sent a malformed header');
  throw new MalformedAnswer('the upstream does not speak HTTP/1.1');
}

/** Anything that could be read in two ways is refused (RFC 9112 §6.3). */
function framingOf(status: number, length: string | undefined, coding: string | undefined): Framing {
  if (status < 200 || status === 204 || status === 304) return 0;
  if (coding !== undefined) {
    if (coding.toLowerCase() === 'chunked') return 'chunked';
    throw new MalformedAnswer(`the upstream sent an unknown transfer coding`);
  }
  if (length === undefined) return 'close';
  if (digits.test(length)) return Number(length);
  const [one, ...others] = length.split(',').map((part) => part.trim());
  if (!digits.test(one!) || others.some((other) => other !== one))
    throw new MalformedAnswer('the upstream sent a malformed content length');
  return Number(one);
}

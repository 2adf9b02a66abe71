/** How the end of a body is determined (RFC 9112 §6.3): chunks, a length, or the end of the connection. */
export type Framing = 'chunked' | 'close' | number;

export class MalformedAnswer extends Error {}

/** The head of an answer. Vendors send two dozen headers; only the five that decide how to read on are parsed. */
export class AnswerHead {
  readonly status: number;
  readonly framing: Framing;
  /** How long the connection may be reused afterwards; 0 for not at all. */
  readonly keepMs: number;
  /** Content coding; empty if there is none. */
  readonly encoding: string;

  /** `text` has been validated. */
  constructor(readonly text: string) {
    this.status = 100 * digitAt(text, statusAt) + 10 * digitAt(text, statusAt + 1) + digitAt(text, statusAt + 2);
    let length: string | undefined;
    let coding: string | undefined;
    let connection: string | undefined;
    let keepAlive: string | undefined;
    let encoding: string | undefined;
    for (let from = nextLine(text, 0); from > 0; from = nextLine(text, from)) {
      const colon = text.indexOf(':', from);
      // Switches on the name's length first, so that other headers cost no more than finding their end; no substrings
      // are made.
      switch (colon - from) {
        case 10:
          if (isNamed(text, from, 'connection')) connection = joined(connection, text, colon);
          else if (isNamed(text, from, 'keep-alive')) keepAlive = joined(keepAlive, text, colon);
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
    this.framing = framingOf(text, this.status, length, coding);
    // A body announced where none is allowed might follow nevertheless, and be mistaken for the next answer.
    const ambiguous =
      coding !== undefined
        ? length !== undefined || isBodiless(this.status)
        : this.status === 204 && (length ?? '0') !== '0';
    const keeps = text[minorAt] !== '0' && this.framing !== 'close' && !ambiguous && !closes(connection);
    this.keepMs = keeps ? keptFor(keepAlive) : 0;
  }

  /** A header by its lower-case name; undefined if absent. */
  header(name: string): string | undefined {
    let value: string | undefined;
    for (let from = nextLine(this.text, 0); from > 0; from = nextLine(this.text, from)) {
      const colon = this.text.indexOf(':', from);
      if (colon - from === name.length && isNamed(this.text, from, name)) value = joined(value, this.text, colon);
    }
    return value;
  }

  /** Lazy: only errors and refusals need all headers. */
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

/** Start of the next line after `from`; 0 if there is none. */
function nextLine(text: string, from: number): number {
  const end = text.indexOf('\r\n', from);
  return end < 0 ? 0 : end + 2;
}

const digitAt = (text: string, at: number): number => text.charCodeAt(at) - 48;

/**
 * Whether the name at `from` equals `name`, which is lower case and of the same length. Upper case is 32 below lower
 * case.
 */
function isNamed(text: string, from: number, name: string): boolean {
  for (let i = 0; i < name.length; i += 1) {
    const code = text.charCodeAt(from + i);
    const wanted = name.charCodeAt(i);
    if (code !== wanted && (code + 32 !== wanted || wanted === hyphen)) return false;
  }
  return true;
}

const hyphen = '-'.charCodeAt(0);

/** Trims spaces and tabs only (RFC 9110 §5.6.3): `trim` would remove more. */
function valueAfter(text: string, colon: number): string {
  const lineEnd = text.indexOf('\r\n', colon);
  let from = colon + 1;
  let to = lineEnd < 0 ? text.length : lineEnd;
  while (from < to && isBlank(text.charCodeAt(from))) from += 1;
  while (from < to && isBlank(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

const isBlank = (code: number): boolean => code === 32 || code === 9;

/** Repeated headers form a list (RFC 9110 §5.3). */
const joined = (before: string | undefined, text: string, colon: number): string =>
  before === undefined ? valueAfter(text, colon) : `${before}, ${valueAfter(text, colon)}`;

const closes = (connection: string | undefined): boolean =>
  connection?.split(',').some((option) => option.trim().toLowerCase() === 'close') ?? false;

/** One second less than the server says: a request sent while the server closes is lost. */
function keptFor(keepAlive: string | undefined): number {
  const seconds = keepAlive && /(?:^|[\t ,])timeout=(\d{1,9})/i.exec(keepAlive)?.[1];
  return seconds ? Math.max(0, (Number(seconds) - 1) * 1_000) : Number.POSITIVE_INFINITY;
}

const statusLine = /^HTTP\/1\.\d [1-9]\d\d(?: |\r|$)/;
/** Validates the whole head at once: a status line, then lines of a token, a colon and printable text. */
const wellFormed =
  /^HTTP\/1\.\d [1-9]\d\d(?: [\t\x20-\x7e\x80-\xff]*)?(?:\r\n[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*)*$/;
const field = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*$/;
const digits = /^\d{1,15}$/;
/** One number, possibly repeated; different ones would be ambiguous (RFC 9112 §6.3). */
const oneLength = /^(\d{1,15})(?:[\t ]*,[\t ]*\1)*$/;

export const isField = (line: string): boolean => field.test(line);

/** Parses a head, without its terminating blank line. */
export function parseHead(text: string): AnswerHead {
  if (wellFormed.test(text)) return new AnswerHead(text);
  if (statusLine.test(text)) throw new MalformedAnswer('the upstream sent a malformed header');
  throw new MalformedAnswer('the upstream does not support HTTP/1.1');
}

/** Anything ambiguous is refused (RFC 9112 §6.1, §6.3). */
function framingOf(text: string, status: number, length: string | undefined, coding: string | undefined): Framing {
  if (status < 200) return 0;
  const said = length === undefined ? 'close' : digits.test(length) ? length : oneLength.exec(length)?.[1];
  if (said === undefined) throw new MalformedAnswer('the upstream sent a malformed content length');
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || text[minorAt] === '0'))
    throw new MalformedAnswer('the upstream used an unknown transfer encoding');
  if (isBodiless(status)) return 0;
  if (coding !== undefined) return 'chunked';
  return said === 'close' ? said : Number(said);
}

const isBodiless = (status: number): boolean => status < 200 || status === 204 || status === 304;

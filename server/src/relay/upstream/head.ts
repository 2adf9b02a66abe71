/** How the end of a body is known (RFC 9112 §6.3): chunks, a number of bytes, or the end of the connection. */
export type Framing = 'chunked' | 'close' | number;

/** The head of an answer. */
export interface AnswerHead {
  status: number;
  headers: Headers;
  framing: Framing;
  /** The connection may carry another request afterwards. */
  keepAlive: boolean;
}

export class MalformedAnswer extends Error {}

const statusLine = /^HTTP\/1\.([01]) (\d{3})(?: |$)/;
const digits = /^\d{1,15}$/;

/** Reads a head, without the blank line that ends it. */
export function parseHead(text: string): AnswerHead {
  const [first = '', ...lines] = text.split('\r\n');
  const match = statusLine.exec(first);
  if (!match) throw new MalformedAnswer('the upstream does not speak HTTP/1.1');
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon < 1) throw new MalformedAnswer('the upstream sent a malformed header');
    try {
      headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
    } catch {
      throw new MalformedAnswer('the upstream sent a malformed header');
    }
  }
  const status = Number(match[2]);
  const framing = framingOf(status, headers);
  const tokens = (headers.get('connection') ?? '').toLowerCase().split(/[\s,]+/);
  const ambiguous = headers.has('transfer-encoding') && headers.has('content-length');
  const keepAlive = match[1] === '1' && framing !== 'close' && !tokens.includes('close') && !ambiguous;
  return { status, headers, framing, keepAlive };
}

/** Anything that could be read in two ways is refused (RFC 9112 §6.3). */
function framingOf(status: number, headers: Headers): Framing {
  if (status < 200 || status === 204 || status === 304) return 0;
  const coding = headers.get('transfer-encoding');
  if (coding !== null) {
    if (coding.trim().toLowerCase() === 'chunked') return 'chunked';
    throw new MalformedAnswer(`the upstream sent an unknown transfer coding`);
  }
  const length = headers.get('content-length');
  if (length === null) return 'close';
  const [one, ...others] = length.split(',').map((part) => part.trim());
  if (!digits.test(one!) || others.some((other) => other !== one))
    throw new MalformedAnswer('the upstream sent a malformed content length');
  return Number(one);
}

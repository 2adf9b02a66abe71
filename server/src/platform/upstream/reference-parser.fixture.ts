/** What became of an answer: whole or not, what was read of it, and whether its connection may be used again. */
export interface Reading {
  whole: boolean;
  /** Of the final answer; 0 where its head never came. */
  status: number;
  headers: [string, string][];
  /** Also of an answer that broke off: what came of it until then. */
  body: string;
  reusable: boolean;
}

/** How the connection ended after the last byte: not at all, in order, or torn down. */
export type Ending = 'open' | 'end' | 'reset';

const mostHead = 65_536;
const mostOverhead = 16_384;
const mostSize = 2 ** 48;

/**
 * HTTP/1.1 answers as RFC 9112 has them, read from the whole of the bytes at once, and slowly: this is what the parser that
 * reads as bytes come is compared to. Whatever can be read in two ways is no answer.
 */
export function readWhole(wire: string, ending: Ending): Reading {
  const broken: Reading = { whole: false, status: 0, headers: [], body: '', reusable: false };
  let passed = 0;
  for (;;) {
    const end = wire.indexOf('\r\n\r\n', passed);
    if (end === -1 || end > mostHead) return broken;
    const head = readHead(wire.slice(passed, end));
    if (!head || head.status === 101) return broken;
    passed = end + 4;
    if (head.status >= 200) return { ...broken, ...readBody(head, wire.slice(passed), ending) };
  }
}

interface Head {
  version: string;
  status: number;
  fields: [string, string][];
}

const field = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[\t ]*([\t\x20-\x7e\x80-\xff]*)$/;

function readHead(text: string): Head | null {
  const [first, ...lines] = text.split('\r\n');
  const [, version, status] = /^HTTP\/(1\.\d) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/.exec(first!) ?? [];
  const found = lines.map((line) => field.exec(line));
  if (!version || found.includes(null)) return null;
  const fields = found.map((match): [string, string] => [match![1]!.toLowerCase(), match![2]!.replace(/[\t ]+$/, '')]);
  return { version, status: Number(status), fields };
}

/** Values of the same name as one list (RFC 9110 §5.3). */
function listOf({ fields }: Head, name: string): string | null {
  const values = fields.filter(([given]) => given === name).map(([, value]) => value);
  return values.length === 0 ? null : values.join(', ');
}

function readBody(head: Head, rest: string, ending: Ending): Partial<Reading> {
  const coding = listOf(head, 'transfer-encoding')?.toLowerCase() ?? null;
  const length = listOf(head, 'content-length');
  const bodiless = head.status === 204 || head.status === 304;
  const misframed =
    (length !== null && lengthOf(length) === null) ||
    (coding !== null && (coding !== 'chunked' || head.version === '1.0'));
  if (misframed) return {};
  const read = bodiless
    ? { body: '', used: 0 }
    : coding !== null
      ? readChunks(rest)
      : length !== null
        ? readLength(rest, lengthOf(length)!)
        : { body: rest, used: ending === 'end' ? rest.length : null };
  const { status, fields } = head;
  const closing = /(^|,)[\t ]*close[\t ]*(,|$)/i.test(listOf(head, 'connection') ?? '');
  const announced = /(?:^|[\t ,])timeout=(\d{1,9})/i.exec(listOf(head, 'keep-alive') ?? '')?.[1];
  const reusable =
    read.used === rest.length &&
    ending === 'open' &&
    head.version !== '1.0' &&
    (coding === null || (length === null && !bodiless)) &&
    (length !== null || coding !== null || bodiless) &&
    !(status === 204 && length !== null && length !== '0') &&
    !closing &&
    (announced === undefined || Number(announced) > 1);
  return { status, headers: joined(fields), whole: read.used !== null, body: read.body, reusable };
}

/** The number that a content length says, however often it says it; null where it is none (RFC 9112 §6.3). */
function lengthOf(text: string): number | null {
  const numbers = text.split(',').map((part) => part.replace(/^[\t ]+|[\t ]+$/g, ''));
  if (!numbers.every((number) => /^\d{1,15}$/.test(number) && number === numbers[0])) return null;
  return Number(numbers[0]);
}

/** `used`: where the body ended; null when it did not. */
interface Framed {
  body: string;
  used: number | null;
}

const readLength = (rest: string, length: number): Framed => ({
  body: rest.slice(0, length),
  used: rest.length >= length ? length : null,
});

function readChunks(rest: string): Framed {
  let body = '';
  let at = 0;
  for (;;) {
    const line = /^([0-9a-fA-F]{1,16})([\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?)\r\n/.exec(rest.slice(at));
    const size = Number(`0x${line?.[1] ?? '0'}`);
    if (!line || size > mostSize || line[2]!.length > mostOverhead) return { body, used: null };
    at += line[0].length;
    if (size === 0) return { body, used: endOfTrailers(rest, at, line[2]!.length) };
    body += rest.slice(at, at + size);
    at += size;
    if (rest.slice(at, at + 2) !== '\r\n') return { body, used: null };
    at += 2;
  }
}

function endOfTrailers(rest: string, from: number, overhead: number): number | null {
  let at = from;
  for (;;) {
    const end = rest.indexOf('\r\n', at);
    if (end === -1 || end + 2 - from + overhead > mostOverhead) return null;
    if (end === at) return end + 2;
    if (!field.test(rest.slice(at, end))) return null;
    at = end + 2;
  }
}

/** As `Headers` joins them. */
function joined(fields: [string, string][]): [string, string][] {
  const names = [...new Set(fields.map(([name]) => name))];
  return byName(
    names.flatMap((name): [string, string][] => {
      const values = fields.filter(([given]) => given === name);
      return name === 'set-cookie' ? values : [[name, values.map(([, value]) => value).join(', ')]];
    }),
  );
}

export const byName = (headers: Iterable<[string, string]>): [string, string][] =>
  [...headers].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));

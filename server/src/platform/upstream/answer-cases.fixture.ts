import { pick, seeded } from '../../relay/providers/demo/seeded.ts';
import type { Ending } from './reference-parser.fixture.ts';

/** The bytes of an answer, one character each, the way its connection ends, and where the bytes are cut on their way. */
export interface AnswerCase {
  wire: string;
  ending: Ending;
  cuts: number[];
}

type Random = () => number;
const below = (random: Random, most: number): number => Math.floor(random() * most);

const odd = {
  first: [
    ...['HTTP/1.0 200 OK', 'HTTP/1.1 200', 'HTTP/1.1 200 ', 'HTTP/1.1 204 No Content', 'HTTP/1.1 304 Not Modified'],
    ...['HTTP/1.1 429 Slow \xfcber', 'HTTP/1.1 500 No', 'HTTP/1.1 999 Odd', 'HTTP/1.1 099 Low', 'HTTP/1.1 000', ''],
    ...['HTTP/1.1 20 OK', 'HTTP/1.1 2000 OK', 'HTTP/1.1  200 OK', 'HTTP/1.2 200 OK', 'HTTP/2 200', 'http/1.1 200 OK'],
    ...[
      'HTTP/1.1 101 Switching',
      'HTTP/1.1\t200 OK',
      'HTTP/1.1 -20 OK',
      'ICY 200 OK',
      ' HTTP/1.1 200 OK',
      'HTTP/1.1 2x0',
    ],
  ],
  length: [
    '0',
    '5',
    '05',
    '5, 5',
    '5,6',
    '5 , 5',
    '+5',
    '-5',
    '0x5',
    '5 5',
    '',
    ',',
    '5,',
    '1e1',
    '5\xa0',
    '5.0',
    '9'.repeat(16),
  ],
  coding: [
    'chunked',
    'Chunked',
    'CHUNKED ',
    'chunked, chunked',
    'gzip, chunked',
    'chunked, gzip',
    'identity',
    'x',
    '',
    'chunked\xa0',
  ],
  field: [
    ...[
      'x: y',
      'X-Odd_Name!: v',
      'empty:',
      'set-cookie: a=b',
      'Set-Cookie: c=d',
      'x: z',
      'high: \xe9\xff',
      'tab:\ta\t',
    ],
    ...[
      'connection: close',
      'Connection: keep-alive, Close',
      'connection: keep-alive',
      'connection: closed',
      'connection: \tclose ',
    ],
    ...['keep-alive: timeout=5', 'keep-alive: timeout=1, max=3', 'keep-alive: max=3', 'content-encoding: identity'],
    ...[
      'no colon',
      ' folded',
      '\tfolded',
      ': no name',
      'space : x',
      'b\xe9d: x',
      'nul: a\0b',
      'bare: a\rb',
      'bare: a\nb',
      'x:\x7f',
      '\r',
    ],
    `long: ${'v'.repeat(300)}`,
  ],
  size: [
    '',
    '0x5',
    '-1',
    '+5',
    ' 5',
    '5 5',
    '5 ;a',
    '5;a="b',
    '5\t',
    'g',
    '5;\0',
    '5\r',
    '00000000000000005',
    'fffffffffffff',
    'ffffffffffffffff',
    '5;\xff',
  ],
  lineEnd: ['\n', '\r', '', '\r\r\n', '\n\r', ' \r\n'],
  trailer: ['x: y', 'x', ': y', 'a b: c', ' x: y', 'content-length: 9', 'x: \0', 'x: a\nb'],
  bytes: ['\r', '\n', '\r\n', '\0', ' ', ':', ';', '0', '5', 'f', '\xff', '\r\n\r\n'],
} as const;

/** The same seed gives the same answer: whole and plain most often, with one fault or two in the others. */
export function answerCase(seed: number): AnswerCase {
  const random = seeded('answer', seed);
  const rare = (): boolean => random() < 0.06;
  const lineEnd = (): string => (random() < 0.01 ? pick(odd.lineEnd, random) : '\r\n');
  const interims = Array.from({ length: random() < 0.15 ? 1 + below(random, 3) : 0 }, () => {
    const status = pick([100, 102, 103, 199], random);
    return `HTTP/1.1 ${status} Soon${lineEnd()}${fieldsOf(random, rare() ? 2 : 0, lineEnd)}${lineEnd()}`;
  });
  const { fields, body } = framedBody(random, rare, lineEnd);
  const first = random() < 0.2 ? pick(odd.first, random) : 'HTTP/1.1 200 OK';
  const extra = fieldsOf(random, below(random, 3), lineEnd);
  const junk = rare() ? pick(['x', '\r\n', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx', '0\r\n\r\n'], random) : '';
  const written = `${interims.join('')}${first}${lineEnd()}${fields}${extra}${lineEnd()}${body}${junk}`;
  const wire = cutOff(random, mutated(random, written));
  return { wire, ending: pick(['open', 'end', 'reset'], random), cuts: cutsOf(random, wire.length) };
}

function fieldsOf(random: Random, count: number, lineEnd: () => string): string {
  let text = '';
  for (let i = 0; i < count; i += 1) {
    // The harmless ones come first, and more often: an answer of odd fields only would seldom be read to its end.
    const at = random() < 0.7 ? below(random, 17) : below(random, odd.field.length);
    text += odd.field[at]! + lineEnd();
  }
  return text;
}

/** Of a body and the fields that announce it, in agreement most of the time. */
function framedBody(random: Random, rare: () => boolean, lineEnd: () => string): { fields: string; body: string } {
  const text = bytesOf(random, below(random, 24));
  const name = (plain: string): string => (rare() ? plain.toUpperCase() : plain);
  const length = (value: string): string => `${name('content-length')}: ${value}${lineEnd()}`;
  const coding = (value: string): string => `${name('transfer-encoding')}: ${value}${lineEnd()}`;
  const kind = random();
  if (kind < 0.2) return { fields: '', body: text };
  if (kind < 0.45) {
    const said = rare() ? pick(odd.length, random) : String(text.length);
    return { fields: length(said) + (rare() ? length(rare() ? '7' : said) : ''), body: text };
  }
  const fields = coding(rare() ? pick(odd.coding, random) : 'chunked');
  const both = rare() ? length(pick(odd.length, random)) : '';
  return { fields: random() < 0.5 ? fields + both : both + fields, body: chunksOf(random, rare, lineEnd) };
}

function chunksOf(random: Random, rare: () => boolean, lineEnd: () => string): string {
  let text = '';
  for (let count = below(random, 4); count > 0; count -= 1) {
    const data = bytesOf(random, 1 + below(random, 20));
    text += sizeOf(random, rare, data.length) + lineEnd() + data + (rare() ? 'x' : '') + lineEnd();
  }
  const last = rare() ? pick(['00', '000', '0;last', '0 ', ''], random) : '0';
  const trailers = rare() ? pick(odd.trailer, random) + lineEnd() : '';
  return text + last + lineEnd() + trailers + lineEnd();
}

function sizeOf(random: Random, rare: () => boolean, length: number): string {
  if (rare() && random() < 0.5) return pick(odd.size, random);
  const digits = length.toString(16);
  const written = random() < 0.3 ? digits.toUpperCase().padStart(1 + below(random, 6), '0') : digits;
  return written + (rare() ? pick([';a=b', ' ;a', '  ', ';q="x;y"'], random) : '');
}

const bytesOf = (random: Random, length: number): string =>
  Array.from({ length }, () =>
    random() < 0.15 ? pick(odd.bytes, random).charAt(0) : String.fromCharCode(97 + below(random, 26)),
  ).join('');

function mutated(random: Random, text: string): string {
  let given = text;
  for (let count = random() < 0.12 ? 1 + below(random, 2) : 0; count > 0; count -= 1) {
    const at = below(random, given.length + 1);
    const removed = below(random, 3);
    given = given.slice(0, at) + (random() < 0.7 ? pick(odd.bytes, random) : '') + given.slice(at + removed);
  }
  return given;
}

const cutOff = (random: Random, text: string): string =>
  random() < 0.15 ? text.slice(0, below(random, text.length + 1)) : text;

/** None, a few, or between any two bytes. */
function cutsOf(random: Random, length: number): number[] {
  const kind = random();
  if (kind < 0.2) return [];
  if (kind < 0.3) return Array.from({ length: Math.max(0, length - 1) }, (_, i) => i + 1);
  const cuts = new Set(Array.from({ length: 1 + below(random, 5) }, () => below(random, length)));
  return [...cuts].filter((cut) => cut > 0).sort((a, b) => a - b);
}

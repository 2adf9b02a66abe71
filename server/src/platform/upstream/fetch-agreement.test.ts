import { afterAll, describe, expect, test } from 'bun:test';
import { brotliCompressSync, deflateSync } from 'node:zlib';
import type { Socket } from 'bun';
import { answerCase } from './answer-cases.fixture.ts';
import { answerOf, UpstreamConnections } from './connections.ts';
import { byName, type Ending, type Reading, readWhole } from './reference-parser.fixture.ts';
import { fetchedAnswer, type UpstreamAnswer } from './source.ts';

/** The same answers, over real sockets, read by our own connections and by `fetch`: what one can read the other can. */
type Read = Pick<Reading, 'whole' | 'status' | 'headers' | 'body'>;

interface Given {
  wire: string | Buffer;
  ending: Ending;
}

let given: Given = { wire: '', ending: 'end' };
let peer: Socket | undefined;
const server = Bun.listen({
  hostname: '127.0.0.1',
  port: 0,
  socket: {
    data(socket) {
      peer = socket;
      socket.write(typeof given.wire === 'string' ? Buffer.from(given.wire, 'latin1') : given.wire);
      if (given.ending === 'end') socket.end();
    },
    error() {},
  },
});
const url = `http://127.0.0.1:${server.port}/v1`;
const connections = new UpstreamConnections();
afterAll(() => {
  connections.close();
  server.stop(true);
});

/** How the connection is kept, and how the body was framed, says nothing about the answer. */
const ofTheHop = /^(connection|keep-alive|transfer-encoding|content-length|content-encoding)$/;

/** A connection that is to be torn down is so once everything is here: before that, some of it could be lost on the way. */
async function read(opening: Promise<UpstreamAnswer>, bodyBytes: number): Promise<Read> {
  const found: Read = { whole: false, status: 0, headers: [], body: '' };
  const tear = () => {
    if (given.ending === 'reset' && found.body.length >= bodyBytes) peer!.terminate();
  };
  try {
    const answer = await opening;
    const { status, body } = answer;
    found.status = status;
    found.headers = byName(answer.headers).filter(([name]) => !ofTheHop.test(name));
    tear();
    for (let piece = await body.read(); piece; piece = await body.read()) {
      found.body += Buffer.from(piece).toString('latin1');
      tear();
    }
    found.whole = true;
  } catch {}
  return found;
}

async function byBoth(answer: Given, bodyBytes: number): Promise<{ ours: Read; fetched: Read }> {
  given = answer;
  const exchange = connections.send({ url, method: 'POST', headers: {}, body: '{}' });
  const ours = await read(
    exchange.head.then((head) => answerOf(exchange, head)),
    bodyBytes,
  );
  // Each on a connection of its own: one that is just being closed is another matter.
  const init = { method: 'POST', body: '{}', redirect: 'manual', keepalive: false } as const;
  return { ours, fetched: await read(fetch(url, init).then(fetchedAnswer), bodyBytes) };
}

interface Difference {
  name: string;
  /** Which of the two reads the answer as whole. */
  whole: 'ours' | 'fetched';
  example: string;
  explains(wire: string, ending: Ending): boolean;
}

/** As far as somebody would read who takes every line end for one. */
const headOf = (wire: string): string => /^(HTTP\/1\.\d 1[\s\S]*?\n\r?\n)*[\s\S]*?\n\r?\n/.exec(wire)?.[0] ?? wire;
const codings = (wire: string): string[] =>
  [...wire.matchAll(/transfer-encoding:[\t ]*(.*)\r\n/gi)].map(([, said]) => said!);
const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';

/** All there are. Where only we read an answer the RFC says that it is one; where only `fetch` does, it can be read in two ways. */
const differences: Difference[] = [
  {
    name: 'blanks after the size of a chunk (RFC 9112 §7.1.1)',
    whole: 'ours',
    example: `${chunked}3 ;a=b\r\nabc\r\n0\r\n\r\n`,
    explains: (wire) => /\r\n[0-9a-f]+[\t ]+(;.*)?\r\n/i.test(wire),
  },
  {
    name: 'a length said twice in one line (RFC 9112 §6.3)',
    whole: 'ours',
    example: 'HTTP/1.1 200 OK\r\ncontent-length: 3, 3\r\n\r\nabc',
    explains: (wire) => /content-length:[\t ]*(\d+)[\t ]*,[\t ]*\1/i.test(wire),
  },
  {
    name: 'a body that the end of the connection ends, where that was torn down',
    whole: 'fetched',
    example: 'HTTP/1.1 200 OK\r\n\r\nabc',
    explains: (wire, ending) => ending === 'reset' && readWhole(wire, 'end').whole,
  },
  {
    name: 'a last chunk without its end, or with trailers that are none',
    whole: 'fetched',
    example: `${chunked}3\r\nabc\r\n0\r\nno trailer\r\n\r\n`,
    explains: (wire) => /(^|\n)0+(;.*)?\r\n(?!\r\n)/.test(wire),
  },
  {
    name: 'control characters beside the size of a chunk',
    whole: 'fetched',
    example: `${chunked}3;\0\r\nabc\r\n0\r\n\r\n`,
    explains: (wire) => wire.includes(';\0'),
  },
  {
    name: 'a status below 100, or two blanks before it',
    whole: 'fetched',
    example: 'HTTP/1.1  200 OK\r\ncontent-length: 3\r\n\r\nabc',
    explains: (wire) => /HTTP\/1\.\d ( |0\d\d)/.test(wire),
  },
  {
    name: 'lines that end in LF alone',
    whole: 'fetched',
    example: 'HTTP/1.1 200 OK\ncontent-length: 3\r\n\r\nabc',
    explains: (wire) => /[^\r]\n/.test(headOf(wire)),
  },
  {
    name: 'a transfer coding that is not chunked, or of HTTP/1.0 (RFC 9112 §6.1)',
    whole: 'fetched',
    example: 'HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
    explains: (wire) => codings(wire).some((said) => !/^chunked/i.test(said)) || /^HTTP\/1\.0/m.test(wire),
  },
  {
    name: 'a length beyond counting beside chunks',
    whole: 'fetched',
    example: `${chunked.slice(0, -2)}content-length: 9999999999999999\r\n\r\n0\r\n\r\n`,
    explains: (wire) => /content-length:[\t ]*\d{16}/i.test(wire),
  },
];

test.each(differences)('only one of the two reads $name', async ({ whole, example, explains }) => {
  const ending = explains(example, 'end') ? 'end' : 'reset';
  const { ours, fetched } = await byBoth({ wire: example, ending }, 3);
  expect({ ours: ours.whole, fetched: fetched.whole }).toEqual({
    ours: whole === 'ours',
    fetched: whole === 'fetched',
  });
});

const cases = process.env.SVC_LONG ? 40_000 : 2_000;

test(`${cases} responses are read alike, except for these differences`, async () => {
  let alike = 0;
  for (let seed = 0; seed < cases; seed += 1) {
    const { wire, ending: drawn } = answerCase(seed);
    const expected = readWhole(wire, drawn);
    // What would never end, or never begin, is ended.
    const ending = (drawn === 'open' && !expected.whole) || expected.status === 0 ? 'end' : drawn;
    const { ours, fetched } = await byBoth({ wire, ending }, expected.body.length);
    expect({ seed, whole: ours.whole }).toEqual({ seed, whole: readWhole(wire, ending).whole });
    const side = ours.whole ? 'ours' : 'fetched';
    const same = ours.whole === fetched.whole;
    if (same) alike += 1;
    const meant = differences.some(({ whole, explains }) => whole === side && explains(wire, ending));
    if (same ? ours.whole : !meant) expect({ seed, wire, ending, ...fetched }).toEqual({ seed, wire, ending, ...ours });
  }
  expect(alike).toBeGreaterThan(cases * 0.8);
}, 600_000);

describe('compressed responses', () => {
  const text = 'green tea '.repeat(500);
  const bytes = Buffer.from(text);
  const packings: [string, string, Uint8Array, boolean][] = [
    ['gzip', 'gzip', Bun.gzipSync(bytes), true],
    ['gzip under its old name', 'X-GZip', Bun.gzipSync(bytes), true],
    ['deflate', 'deflate', deflateSync(bytes), true],
    ['brotli', 'br', brotliCompressSync(bytes), true],
    ['zstd', 'zstd', Bun.zstdCompressSync(bytes), true],
    ['not packed, and says so', 'identity', bytes, true],
    ['with an unknown encoding', 'UTF-8', bytes, true],
    ['cut gzip', 'gzip', Bun.gzipSync(bytes).subarray(0, 40), false],
    ['no gzip at all', 'gzip', bytes, false],
  ];
  test.each(packings)('%s is read alike', async (_, encoding, packed, whole) => {
    const head = `HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${packed.length}\r\n\r\n`;
    const { ours, fetched } = await byBoth({ wire: Buffer.concat([Buffer.from(head), packed]), ending: 'end' }, 0);
    expect([ours.whole, fetched.whole]).toEqual([whole, whole]);
    if (whole) expect([ours.body, fetched.body]).toEqual([text, text]);
  });
});

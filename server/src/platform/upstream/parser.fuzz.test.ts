import { expect, test } from 'bun:test';
import { type AnswerCase, answerCase } from './answer-cases.fixture.ts';
import { Exchange } from './exchange.ts';
import { byName, type Reading, readWhole } from './reference-parser.fixture.ts';

const cases = Number(process.env.SVC_FUZZ_ANSWERS ?? (process.env.SVC_LONG ? 1_200_000 : 100_000));

/** Feeds the bytes as they are cut; the body is taken as it comes, or read when everything is there. */
async function readByPieces({ wire, ending, cuts }: AnswerCase, asItComes: boolean): Promise<Reading> {
  const reading: Reading = { whole: false, status: 0, headers: [], body: '', reusable: false };
  const line = {
    ...{ pause() {}, resume() {} },
    gone: false,
    release: () => {
      reading.reusable = true;
    },
    destroy: () => {
      line.gone = true;
    },
  };
  const take = (bytes: Uint8Array, from: number, to: number): boolean => {
    reading.body += Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1');
    return true;
  };
  const exchange = new Exchange('');
  exchange.runOn(line);
  const headed = exchange.head.then(
    (head) => {
      reading.status = head.status;
      reading.headers = byName(head.headers);
    },
    () => {},
  );
  const isWhole = (over: Promise<boolean>): Promise<void> =>
    over.then(
      () => {
        reading.whole = true;
      },
      () => {},
    );
  const taken = asItComes ? isWhole(exchange.flow(take)) : null;
  const bytes = Buffer.from(wire, 'latin1');
  for (let i = 0; i <= cuts.length && !line.gone; i += 1) {
    const piece = bytes.subarray(cuts[i - 1] ?? 0, cuts[i] ?? bytes.length);
    // What comes on a line that was given back is an answer nobody asked for: the line is closed then.
    if (reading.reusable) reading.reusable = false;
    else if (piece.length > 0) exchange.receive(piece);
    else continue;
    if (!reading.reusable && line.gone) break;
  }
  if (ending !== 'open') reading.reusable = false;
  if (ending === 'end') exchange.lost();
  else if (ending === 'reset') exchange.lost(new Error('reset'));
  else exchange.abort();
  await headed;
  await (taken ?? isWhole(exchange.flow(take)));
  return reading;
}

test(`${cases} responses are read as by the reference, however they are split`, async () => {
  const seen = { whole: 0, broken: 0, reusable: 0 };
  for (let seed = 0; seed < cases; seed += 1) {
    const given = answerCase(seed);
    const expected = readWhole(given.wire, given.ending);
    const read = await readByPieces(given, seed % 2 === 0);
    seen[expected.whole ? 'whole' : 'broken'] += 1;
    if (expected.reusable) seen.reusable += 1;
    if (!Bun.deepEquals(read, expected)) expect({ seed, ...given, read }).toEqual({ seed, ...given, read: expected });
  }
  // A generator that makes only one sort would prove nothing.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(cases / 20);
  console.log(`${cases} answers: ${JSON.stringify(seen)}`);
}, 1_200_000);

/** Answers that touch a limit, cut where it is reached. */
function* atTheLimits(): Generator<AnswerCase> {
  const long = (length: number): string => 'v'.repeat(length);
  const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
  const interim = 'HTTP/1.1 100 Soon\r\n\r\n';
  const head = (length: number): string => {
    const start = 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\nx: ';
    return `${start}${long(length - start.length)}\r\n\r\n`;
  };
  for (const off of [-4, -3, -2, -1, 0, 1, 2, 3, 4, 500]) {
    const wires = [
      `${head(65_536 + off)}x`,
      `${interim.repeat(2_800)}${head(65_536 + off - interim.length * 2_800)}x`,
      `${chunked}1;${long(16_383 + off)}\r\nx\r\n0\r\n\r\n`,
      `${chunked}0;${long(99)}\r\nx: ${long(16_277 + off)}\r\n\r\n`,
      `${chunked}0\r\n${'x: y\r\n'.repeat(2_730)}${off > 0 ? 'y:\r\n' : ''}\r\n`,
      `${chunked}${(100_000 + off).toString(16)}\r\n${long(100_000 + off)}\r\n0\r\n\r\n`,
    ];
    for (const wire of wires)
      for (const ending of ['open', 'end'] as const)
        for (const back of [0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 300])
          yield {
            wire,
            ending,
            cuts: [...new Set([9, 65_536, wire.length - back])]
              .filter((cut) => cut < wire.length)
              .sort((a, b) => a - b),
          };
  }
}

test('responses at the limits are read as by the reference, wherever they are split', async () => {
  const seen = { whole: 0, broken: 0 };
  for (const given of atTheLimits()) {
    const expected = readWhole(given.wire, given.ending);
    for (const asItComes of [true, false]) {
      const read = await readByPieces(given, asItComes);
      if (!Bun.deepEquals(read, expected)) expect({ ...given, read }).toEqual({ ...given, read: expected });
      seen[expected.whole ? 'whole' : 'broken'] += 1;
    }
  }
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(400);
}, 300_000);

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { eventFrame, frameOf } from './frames.fixture.ts';
import { BrokenFrame, type Frame, FrameReader } from './frames.ts';

const read = (...chunks: Uint8Array[]): { frames: [Frame['headers'], string][]; idle: boolean } => {
  const frames: [Frame['headers'], string][] = [];
  const reader = new FrameReader(({ headers, payload }) => frames.push([headers, new TextDecoder().decode(payload)]));
  for (const chunk of chunks) reader.push(chunk);
  return { frames, idle: reader.idle };
};

/** Messages of the format's own test suite, which other readers of it are held against too. */
const published: [name: string, hex: string, headers: Frame['headers'], payload: string][] = [
  ['nothing', '000000100000000005c248eb7d98c8ff', {}, ''],
  ['a numeric header', '000000170000000729860158046279746502ffc2f869dc', {}, ''],
  ['no header', '0000001d00000000fd528c5a7b27666f6f273a27626172277dc3653936', {}, "{'foo':'bar'}"],
  [
    'a text header',
    '0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1',
    { 'content-type': 'application/json' },
    "{'foo':'bar'}",
  ],
];

test.each(published)('decodes a published frame with %s', (_, hex, headers, payload) => {
  expect(read(Buffer.from(hex, 'hex'))).toEqual({ frames: [[headers, payload]], idle: true });
});

const one = eventFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'hé' } });
const two = eventFrame('messageStop', { stopReason: 'end_turn' });
const both = Buffer.concat([one, two]);
const whole = read(both).frames;

test('frames can be split at any byte', () => {
  expect(whole).toHaveLength(2);
  for (let at = 0; at <= both.length; at += 1) {
    const { frames, idle } = read(both.subarray(0, at), both.subarray(at));
    expect({ at, frames, idle }).toEqual({ at, frames: whole, idle: true });
    const cut = read(both.subarray(0, at));
    expect([at, cut.idle]).toEqual([at, at === 0 || at === one.length || at === both.length]);
  }
});

test('encoded frames are decoded in chunks of any size', () => {
  const written = fc.record({
    headers: fc.dictionary(fc.stringMatching(/^[a-z:-]{1,20}$/), fc.string({ maxLength: 40 })),
    payload: fc.string({ maxLength: 500 }),
  });
  fc.assert(
    fc.property(fc.array(written, { maxLength: 6 }), fc.integer({ min: 1, max: 100 }), (given, size) => {
      const bytes = Buffer.concat(given.map(({ headers, payload }) => frameOf(headers, payload)));
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );
      expect(read(...pieces)).toEqual({
        frames: given.map(({ headers, payload }) => [{ ...headers }, payload]),
        idle: true,
      });
    }),
  );
});

test('decodes a payload of more than a megabyte', () => {
  const payload = 'x'.repeat(1_400_000);
  expect(read(frameOf({}, payload)).frames).toEqual([[{}, payload]]);
});

describe('malformed frames', () => {
  test('any flipped bit is detected', () => {
    for (let at = 0; at < one.length; at += 1) {
      const bytes = Uint8Array.from(one);
      bytes[at]! ^= 1 << (at % 8);
      // A length that grew would wait for more: here it comes.
      expect(() => read(bytes, new Uint8Array(64))).toThrow(BrokenFrame);
    }
  });

  const preludeOf = (whole: number, headers: number): Uint8Array => {
    const prelude = Buffer.alloc(12);
    prelude.writeUInt32BE(whole, 0);
    prelude.writeUInt32BE(headers, 4);
    prelude.writeUInt32BE(Bun.hash.crc32(prelude.subarray(0, 8)), 8);
    return prelude;
  };
  test.each([
    ['above the maximum length', 16 * 1024 * 1024 + 1, 0],
    ['below the minimum length', 15, 0],
    ['with headers longer than the frame', 40, 25],
  ])('a frame %s is rejected although its checksum is right', (_, size, headers) => {
    expect(() => read(preludeOf(size, headers))).toThrow(BrokenFrame);
  });

  test.each([
    ['an unknown type', [1, 97, 10]],
    ['a value longer than the headers', [1, 97, 7, 0, 9, 97]],
    ['a name longer than the headers', [9, 97]],
    ['no room for its length', [1, 97, 7, 0]],
  ])('a header with %s is rejected', (_, bytes) => {
    const body = Buffer.concat([preludeOf(16 + bytes.length, bytes.length), Uint8Array.from(bytes)]);
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32BE(Bun.hash.crc32(body));
    expect(() => read(body, checksum)).toThrow(BrokenFrame);
  });
});

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { BodyFrame } from './body-frame.ts';
import type { Framing } from './head.ts';

/** Reads these bytes in pieces, cut at the given places. */
function read(
  framing: Framing,
  wire: Uint8Array,
  cuts: number[] = [],
): { body: string; over: boolean; stopped: number } {
  const frame = new BodyFrame(framing);
  const pieces: Uint8Array[] = [];
  const taker = { take: (bytes: Uint8Array, from: number, to: number) => void pieces.push(bytes.slice(from, to)) };
  let stopped = 0;
  for (const [index, from] of [0, ...cuts].entries()) {
    const piece = wire.subarray(from, [...cuts, wire.length][index]);
    if (frame.over) break;
    stopped = from + frame.read(piece, 0, taker);
  }
  return { body: Buffer.concat(pieces).toString('latin1'), over: frame.over, stopped };
}

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const chunked = (pieces: string[], extension = ''): string =>
  `${pieces.map((piece) => `${piece.length.toString(16)}${extension}\r\n${piece}\r\n`).join('')}0\r\n\r\n`;

describe('a chunked body', () => {
  test('is the same however it is split, and bytes after it are left', () => {
    const texts = fc.array(fc.string({ minLength: 1, maxLength: 40, unit: 'binary-ascii' }), { maxLength: 6 });
    const cuts = fc.array(fc.nat(300), { maxLength: 12 });
    fc.assert(
      fc.property(texts, cuts, fc.constantFrom('', ';a=b', ' '), (pieces, places, extension) => {
        const wire = chunked(pieces, extension);
        const all = bytes(`${wire}HTTP/1.1 next`);
        const sorted = places.filter((place) => place < all.length).sort((a, b) => a - b);
        const { body, over, stopped } = read('chunked', all, sorted);
        expect({ body, over, stopped }).toEqual({ body: pieces.join(''), over: true, stopped: wire.length });
      }),
    );
  });

  test('may have trailers', () => {
    const wire = '3\r\nabc\r\n0\r\nx-sum: 1\r\ny: 2\r\n\r\n';
    expect(read('chunked', bytes(wire))).toEqual({ body: 'abc', over: true, stopped: wire.length });
  });

  test('does not end before its last chunk', () => {
    const wire = bytes(chunked(['abc', 'defg']));
    for (let length = 0; length < wire.length; length += 1)
      expect(read('chunked', wire.subarray(0, length)).over).toBe(false);
  });

  test.each([
    ['no size', '\r\nabc'],
    ['a size that is no number', 'xyz\r\nabc\r\n'],
    ['a negative size', '-3\r\nabc\r\n'],
    ['a size beyond counting', `${'f'.repeat(13)}\r\nabc`],
    ['more data than said', '3\r\nabcdef\r\n0\r\n\r\n'],
    ['an endless extension', `3;${'a'.repeat(20_000)}\r\nabc\r\n`],
    ['endless trailers', `0\r\n${'a: b\r\n'.repeat(4_000)}\r\n`],
  ])('with %s is rejected', (_, wire) => {
    expect(() => read('chunked', bytes(wire))).toThrow();
  });
});

test('a body with a length ends there, one without at the end of the connection', () => {
  expect(read(5, bytes('hello world'), [2])).toEqual({ body: 'hello', over: true, stopped: 5 });
  expect(read(0, bytes('')).over).toBe(true);
  expect(read('close', bytes('hello world'), [3])).toEqual({ body: 'hello world', over: false, stopped: 11 });
  expect([
    new BodyFrame('close').endsByClose,
    new BodyFrame(5).endsByClose,
    new BodyFrame('chunked').endsByClose,
  ]).toEqual([true, false, false]);
});

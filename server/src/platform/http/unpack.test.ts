import { expect, test } from 'bun:test';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { turnsDuring } from '../../lib/turns-during.fixture.ts';
import { fetchedAnswer, unpacked } from '../upstream/source.ts';
import { maxJsonBytes, readBody } from './body.ts';

/* A hundred bytes on the wire may be megabytes in memory: others have their turn while they are unpacked. */

const bytes = Buffer.alloc(maxJsonBytes);
const turns = 10;

const packed = Object.entries({
  gzip: gzipSync(bytes),
  deflate: deflateSync(bytes),
  br: brotliCompressSync(bytes),
  zstd: zstdCompressSync(bytes),
});

test.each(packed)('a request compressed with %s is unpacked in pieces', async (encoding, body) => {
  const request = new Request('http://localhost/', { method: 'POST', body, headers: { 'content-encoding': encoding } });
  const read = async () => expect((await readBody({ request }, maxJsonBytes)).byteLength).toBe(bytes.byteLength);
  expect(await turnsDuring(read)).toBeGreaterThan(turns);
});

test.each(packed)('an answer of an upstream compressed with %s is unpacked in pieces', async (encoding, body) => {
  let length = 0;
  const taker = (_: Uint8Array, from: number, to: number) => {
    length += to - from;
    return true;
  };
  const source = unpacked(fetchedAnswer(new Response(body)).body, encoding);
  expect(await turnsDuring(() => source.flow(taker))).toBeGreaterThan(turns);
  expect(length).toBe(bytes.byteLength);
});

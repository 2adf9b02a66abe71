import { afterAll, describe, expect, test } from 'bun:test';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { AnswerTooLarge, answerLimits, collectBytes } from '../../lib/collect-bytes.ts';
import { readAnswer, readRefusal } from './read-answer.ts';

/** A body without end, and how much of it was asked for. */
function endless(piece = 65_536): { response: Response; given: () => number; cancelled: () => boolean } {
  let given = 0;
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      given += piece;
      controller.enqueue(new Uint8Array(piece).fill(97));
    },
    cancel: () => {
      cancelled = true;
    },
  });
  return { response: new Response(body), given: () => given, cancelled: () => cancelled };
}

describe('an endless response', () => {
  test('is rejected at its limit, and not read further', async () => {
    const { response, given, cancelled } = endless();
    await expect(readAnswer(response, 1_000_000)).rejects.toThrow(AnswerTooLarge);
    expect(given()).toBeLessThan(1_000_000 + 3 * 65_536);
    expect(cancelled()).toBe(true);
  });

  test('with an error status is cut at its limit', async () => {
    const { response, given, cancelled } = endless();
    expect(await readRefusal(response)).toBe('a'.repeat(answerLimits.refusal));
    expect(given()).toBeLessThan(answerLimits.refusal + 3 * 65_536);
    expect(cancelled()).toBe(true);
  });

  test('in pieces of one byte is stored as one', async () => {
    const byte = new Uint8Array([97]);
    const { bytes, whole } = await collectBytes(() => byte, 300_000);
    expect([bytes.length, bytes.buffer.byteLength < 700_000, whole]).toEqual([300_000, true, false]);
  });
});

test.each([
  ['nothing', ''],
  ['a mark before its text', '\ufefftext'],
  ['letters of several bytes', 'grüner Tee 🍵'.repeat(5_000)],
])('a response of %s is read as `text` reads it', async (_, text) => {
  const answer = () => new Response(Buffer.from(text));
  for (const most of [1_000_000, Buffer.byteLength(text)])
    expect(await readAnswer(answer(), most)).toBe(await answer().text());
});

describe('a small compressed response that is large when unpacked', () => {
  const large = new Uint8Array(200_000_000).fill(97);
  const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
  const packed: Record<string, Uint8Array> = {
    gzip: gzipSync(large, { level: 1 }),
    br: brotliCompressSync(large, fast),
  };
  const server = Bun.serve({
    port: 0,
    fetch: (request) => {
      const encoding = new URL(request.url).pathname.slice(1);
      return new Response(packed[encoding] as Uint8Array<ArrayBuffer>, { headers: { 'content-encoding': encoding } });
    },
  });
  afterAll(() => server.stop(true));

  test.each(Object.keys(packed))('is rejected at its limit (%s)', async (encoding) => {
    expect(packed[encoding]!.length).toBeLessThan(large.length / 50);
    const response = await fetch(`${server.url}${encoding}`);
    let read = 0;
    const counted = response.body!.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (piece, controller) => {
          read += piece.length;
          controller.enqueue(piece);
        },
      }),
    );
    await expect(readAnswer(new Response(counted), 5_000_000)).rejects.toThrow(AnswerTooLarge);
    expect(read).toBeLessThan(10_000_000);
  });
});

import { expect, test } from 'bun:test';
import { limitBytes } from './limit-bytes.ts';

const pieces = (...sizes: number[]) =>
  new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const size of sizes) controller.enqueue(new Uint8Array(size));
      controller.close();
    },
  });

test('content within the limit is passed on, larger content is aborted', async () => {
  const fits = limitBytes(pieces(3, 4), 7);
  expect((await new Response(fits.bytes as ReadableStream).bytes()).length).toBe(7);
  expect(fits.exceeded()).toBe(false);
  const large = limitBytes(pieces(3, 4, 1, 1), 7);
  expect(large.exceeded()).toBe(false);
  await expect(new Response(large.bytes as ReadableStream).bytes()).rejects.toThrow('more than 7 bytes');
  expect(large.exceeded()).toBe(true);
});

import type { Range } from './port.ts';

export const streamOf = (file: Blob, range?: Range): ReadableStream<Uint8Array> =>
  (range ? file.slice(range.start, range.end + 1) : file).stream();

/**
 * The same bytes, once reading has begun: whoever deletes the blob from then on no longer disturbs it, and a blob that
 * does not exist shows while an answer can still say so.
 */
export async function begun(content: ReadableStream<Uint8Array>): Promise<ReadableStream<Uint8Array>> {
  const reader = content.getReader();
  let first: Awaited<ReturnType<typeof reader.read>> | undefined = await reader.read();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = first ?? (await reader.read());
        first = undefined;
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // What nobody asks for stays in storage.
    { highWaterMark: 0 },
  );
}

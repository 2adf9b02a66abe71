import type { Call } from './route.ts';

/** Bytes handed to the connection at a time; longer texts wait until the client has taken them. */
const pieceBytes = 64 * 1024;

/**
 * A file that is generated while it is downloaded: the next chunk is made when the client has taken the last one, and
 * the event loop is free in between.
 */
export function generatedFile(
  call: Pick<Call, 'headers'>,
  { name, type }: { name: string; type: string },
  parts: AsyncGenerator<string>,
): Response {
  const encoder = new TextEncoder();
  let rest = new Uint8Array();
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    await new Promise(setImmediate);
    while (rest.length === 0) {
      const { done, value } = await parts.next();
      if (done) return controller.close();
      rest = encoder.encode(value);
    }
    controller.enqueue(rest.subarray(0, pieceBytes));
    rest = rest.subarray(pieceBytes);
  };
  const cancel = async () => {
    await parts.return(undefined);
  };
  // No buffering by the stream: the connection has a buffer of its own.
  return new Response(new ReadableStream<Uint8Array>({ pull, cancel }, { highWaterMark: 0 }), {
    headers: {
      ...call.headers,
      'content-type': type,
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
    },
  });
}

import type { Call } from './route.ts';

/** Handed to the connection at once; the rest of a longer text waits until the reader has taken it. */
const pieceBytes = 64 * 1024;

/**
 * A file that is written while it is read: nothing is made before its reader has taken what was there, and between two pieces
 * others get their turn.
 */
export function writtenAnswer(
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
  // What a stream keeps by itself is no use here: the connection has a buffer of its own.
  return new Response(new ReadableStream<Uint8Array>({ pull, cancel }, { highWaterMark: 0 }), {
    headers: {
      ...call.headers,
      'content-type': type,
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
    },
  });
}

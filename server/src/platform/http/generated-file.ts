import type { Call } from './route.ts';

/** Bytes handed to the connection at a time; longer texts wait until the client has taken them. */
const pieceBytes = 64 * 1024;

/** More than headings: what cannot be read from the database is then answered with an error, and no file is begun. */
const aheadCharacters = 1_024;

/**
 * A file that is generated while it is downloaded: the next chunk is made when the client has taken the last one, and
 * the event loop is free in between.
 */
export async function generatedFile(
  call: Pick<Call, 'headers'>,
  { name, type }: { name: string; type: string },
  parts: AsyncGenerator<string>,
): Promise<Response> {
  const encoder = new TextEncoder();
  const read = async (): Promise<string | null> => {
    await new Promise(setImmediate);
    const { done, value } = await parts.next();
    return done ? null : value;
  };
  let ahead = '';
  let ended = false;
  while (!ended && ahead.length < aheadCharacters) {
    const part = await read();
    ended = part === null;
    ahead += part ?? '';
  }
  let rest = encoder.encode(ahead);
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    while (rest.length === 0) {
      const part = ended ? null : await read();
      if (part === null) return controller.close();
      rest = encoder.encode(part);
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

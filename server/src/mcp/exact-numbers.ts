import { markedNumbers, restoredNumbers } from '../lib/exact-json.ts';
import { parseFrame, SseFramer } from '../lib/sse.ts';

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Structural, because the library's message type is narrower. */
interface Hearing {
  onmessage?: ((message: never, extra?: never) => void) | undefined;
}

/**
 * The library parses the data of events by itself, which rounds numbers that a double cannot hold. So they reach it as
 * marked strings, and are restored in the message before anybody reads it.
 */
export class ExactNumbers {
  /** Messages that arrive before there is somebody to restore them are left as they are. */
  #restores = false;
  #marked = false;

  kept(fetch: Fetch): Fetch {
    return async (url, init) => {
      const answer = await fetch(url, init);
      const { body, status, headers } = answer;
      const isStream = body && /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
      return this.#restores && isStream ? new Response(this.#marking(body), { status, headers }) : answer;
    };
  }

  restoreIn(transport: Hearing): void {
    const hear = transport.onmessage;
    transport.onmessage = (message, extra) => {
      if (this.#marked) restoredNumbers(message);
      hear?.(message, extra);
    };
    this.#restores = true;
  }

  #marking(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const framer = new SseFramer();
    return body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (piece, to) => {
          for (const frame of framer.push(piece)) to.enqueue(this.#frame(frame));
        },
        flush: (to) => to.enqueue(framer.end()),
      }),
    );
  }

  #frame(frame: Uint8Array): Uint8Array {
    const { data = '', event = '', id } = parseFrame(frame) ?? {};
    const marked = markedNumbers(data);
    if (marked === data) return frame;
    this.#marked = true;
    const lines = marked.split('\n').map((line) => `data: ${line}\n`);
    const head = `${id === undefined ? '' : `id: ${id}\n`}${event === '' ? '' : `event: ${event}\n`}`;
    return Buffer.from(`${head}${lines.join('')}\n`);
  }
}

import type { ByteSource, Taker } from '../../lib/byte-source.ts';
import { answerLimits, collectBytes, textOf } from '../../lib/collect-bytes.ts';
import { table } from '../../lib/table.ts';
import { takeTurns } from '../../lib/take-turns.ts';

/** An answer that has started. */
export interface UpstreamAnswer {
  status: number;
  /** Created lazily. */
  readonly headers: Headers;
  body: ByteSource;
}

/** The body of an error answer, cut if it is long. */
export async function readRefusalText(body: ByteSource): Promise<string> {
  const { bytes, whole } = await collectBytes(() => body.read(), answerLimits.refusal);
  if (!whole) body.abort();
  return textOf(bytes);
}

/** An answer received through `fetch`. */
export const fetchedAnswer = (response: Response): UpstreamAnswer => ({
  status: response.status,
  headers: response.headers,
  body: new StreamSource(response.body ?? new Blob().stream()),
});

class StreamSource implements ByteSource {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
  }

  async read(): Promise<Uint8Array | null> {
    const { done, value } = await this.#reader.read();
    return done ? null : value;
  }

  async flow(taker: Taker): Promise<boolean> {
    for (let piece = await this.read(); piece; piece = await this.read())
      if (!taker(piece, 0, piece.length)) return true;
    return false;
  }

  leave(): void {
    this.abort();
  }

  abort(): void {
    this.#reader.cancel().catch(() => {});
  }
}

class UnpackedSource extends StreamSource {
  readonly #turn = takeTurns();

  override async read(): Promise<Uint8Array | null> {
    const piece = await super.read();
    if (piece) await this.#turn(piece.length);
    return piece;
  }
}

const formats = table<string>({
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'brotli',
  zstd: 'zstd',
});

/** For servers that compress although asked not to. Unknown codings are left as they are, as `fetch` does. */
export function unpacked(body: ByteSource, encoding: string): ByteSource {
  const format = formats[encoding.toLowerCase()];
  if (!format) return body;
  const packed = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: async (controller) => {
      const piece = await body.read();
      if (piece) controller.enqueue(piece as Uint8Array<ArrayBuffer>);
      else controller.close();
    },
    cancel: () => body.abort(),
  });
  return new UnpackedSource(packed.pipeThrough(new DecompressionStream(format as CompressionFormat)));
}

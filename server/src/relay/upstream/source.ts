/** Takes a piece of a body, the bytes from `from` up to `to`; false when it can take no more for now. */
export type Taker = (bytes: Uint8Array, from: number, to: number) => boolean;

/** The body of an answer, read piece by piece; what is not read is not fetched for long. */
export interface ByteSource {
  /** The next bytes, or null at the end; rejects when the connection breaks. */
  read(): Promise<Uint8Array | null> | Uint8Array | null;
  /** The whole body where it is here already, in one piece of which nothing was read; null where not. */
  wholeText?(): string | null;
  /** Hands pieces over the moment they come; resolves to true when the taker wants no more, to false at the end. */
  flow(taker: Taker): Promise<boolean>;
  /** What was wanted has come. */
  leave(): void;
  abort(): void;
}

/** The beginning of an answer. */
export interface UpstreamAnswer {
  status: number;
  headers(): Headers;
  body: ByteSource;
}

/** Answers with pictures have megabytes; past this somebody sends something else. */
const mostTextBytes = 64 * 1024 * 1024;

/** The whole body as text. */
export function readText(body: ByteSource): string | Promise<string> {
  const whole = body.wholeText?.() ?? null;
  return whole === null ? gather(body) : withoutMark(whole);
}

async function gather(body: ByteSource): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const next = body.read();
    const piece = next instanceof Promise ? await next : next;
    if (!piece) break;
    pieces.push(piece);
    length += piece.length;
    if (length > mostTextBytes) {
      body.abort();
      throw new Error('the upstream sent an answer without end');
    }
  }
  return withoutMark(Buffer.concat(pieces).toString());
}

/** A byte order mark is no part of the text, as `fetch` has it. */
const withoutMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);

export class StreamSource implements ByteSource {
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

/** For servers that pack an answer though they were asked not to. */
export function unpacked(body: ByteSource, encoding: string): ByteSource {
  const packed = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: async (controller) => {
      const piece = await body.read();
      if (piece) controller.enqueue(piece as Uint8Array<ArrayBuffer>);
      else controller.close();
    },
    cancel: () => body.abort(),
  });
  return new StreamSource(packed.pipeThrough(new DecompressionStream(formatOf(encoding))));
}

function formatOf(encoding: string): CompressionFormat {
  const formats: Record<string, string> = {
    gzip: 'gzip',
    'x-gzip': 'gzip',
    deflate: 'deflate',
    br: 'brotli',
    zstd: 'zstd',
  };
  const format = formats[encoding.trim().toLowerCase()];
  if (!format) throw new Error('the upstream packed its answer in an unknown way');
  return format as CompressionFormat;
}

import { AppError } from '../../lib/errors.ts';
import { streamOf } from '../../lib/stream-of.ts';
import { refuseNul, setField } from './body.ts';
import { mediaType } from './multipart.ts';
import type { Call } from './route.ts';

export interface FilePart {
  name: string;
  filename: string;
  content: ReadableStream<Uint8Array>;
}

/** No form of ours has twenty fields, and each part costs time. */
const mostParts = 50;
const mostHeaderBytes = 8 * 1024;
const mostFieldBytes = 64 * 1024;

const invalid = (message = 'The request body is not valid multipart/form-data.'): AppError =>
  new AppError('invalid_value', message, { param: 'body' });

/**
 * Parses a form while it arrives: text fields are collected, files are passed on in chunks, so that none is held in
 * memory. `take` must read its file to the end. Fields and files may come in any order.
 */
export async function streamMultipart(
  call: Pick<Call, 'request' | 'arrived' | 'signal'>,
  maxBytes: number,
  take: (file: FilePart) => Promise<void>,
): Promise<Record<string, string>> {
  const { request } = call;
  const boundary = /boundary=(?:"([^"]{1,70})"|([^\s";]{1,70}))/i.exec(request.headers.get('content-type') ?? '');
  if (mediaType(request) !== 'multipart/form-data' || !boundary || request.headers.has('content-encoding'))
    throw new AppError('unsupported_media_type', 'Send the body as multipart/form-data.');
  if (!request.body) throw invalid();
  const form = new FormReader(request.body.getReader(), (boundary[1] ?? boundary[2])!, maxBytes);
  try {
    const fields = await form.read(take);
    call.arrived?.();
    return fields;
  } catch (error) {
    await form.close();
    const fault = form.fault ?? error;
    if (fault instanceof AppError || !call.signal.aborted) throw fault;
    throw new AppError('request_timeout', 'The request body was not received in full.');
  }
}

class FormReader {
  /** The first delimiter has no preceding line break; with this one all are alike. */
  #buffer: Buffer = Buffer.from('\r\n');
  #size = 0;
  readonly #delimiter: Buffer;
  /** The parser's own error, which takes precedence over how storing the file failed. */
  fault: unknown;

  constructor(
    readonly reader: ReadableStreamDefaultReader<Uint8Array>,
    boundary: string,
    readonly maxBytes: number,
  ) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`);
  }

  async read(take: (file: FilePart) => Promise<void>): Promise<Record<string, string>> {
    const fields: Record<string, string> = Object.create(null);
    await this.#gather(this.#upTo(this.#delimiter), mostHeaderBytes);
    for (let part = 0; !(await this.#atEnd()); part += 1) {
      if (part === mostParts) throw invalid(`The form has more than ${mostParts} parts.`);
      const { name, filename } = headOf(await this.#gather(this.#upTo(Buffer.from('\r\n\r\n')), mostHeaderBytes));
      const content = this.#upTo(this.#delimiter);
      if (filename === null) setField(fields, name, await this.#gather(content, mostFieldBytes));
      else await take({ name, filename, content: streamOf(content) });
    }
    return fields;
  }

  close(): Promise<void> {
    return this.reader.cancel().catch(() => {});
  }

  /** After a delimiter: `--` ends the form, a line break starts the next part. */
  async #atEnd(): Promise<boolean> {
    while (this.#buffer.length < 2) await this.#more();
    const next = this.#buffer.toString('latin1', 0, 2);
    this.#buffer = this.#buffer.subarray(2);
    if (next === '\r\n') return false;
    if (next !== '--') throw invalid();
    // Skips the epilogue.
    while (!(await this.#fill()));
    return true;
  }

  /** Reads more; true at the end of the body. */
  async #fill(): Promise<boolean> {
    const { done, value } = await this.reader.read();
    if (done) return true;
    this.#size += value.byteLength;
    if (this.#size > this.maxBytes)
      throw new AppError('request_too_large', `The request body is larger than ${this.maxBytes} bytes.`);
    this.#buffer = this.#buffer.length === 0 ? Buffer.from(value) : Buffer.concat([this.#buffer, value]);
    return false;
  }

  async #more(): Promise<void> {
    if (await this.#fill()) throw invalid();
  }

  /** Yields everything before `end`, and consumes `end`. */
  async *#upTo(end: Buffer): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const at = this.#buffer.indexOf(end);
        // The last bytes may be the start of the delimiter.
        const sure = at < 0 ? this.#buffer.length - end.length + 1 : at;
        if (sure > 0) {
          const piece = this.#buffer.subarray(0, sure);
          this.#buffer = this.#buffer.subarray(sure);
          yield piece;
        }
        if (at >= 0) {
          this.#buffer = this.#buffer.subarray(end.length);
          return;
        }
        await this.#more();
      }
    } catch (error) {
      this.fault ??= error;
      throw error;
    }
  }

  async #gather(pieces: AsyncGenerator<Uint8Array>, most: number): Promise<string> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const piece of pieces) {
      size += piece.byteLength;
      if (size > most) throw invalid('A form field is too long.');
      chunks.push(piece);
    }
    return Buffer.concat(chunks).toString('utf8');
  }
}

function headOf(head: string): { name: string; filename: string | null } {
  const line = head.split('\r\n').find((text) => /^content-disposition:/i.test(text)) ?? '';
  const name = /[;\s]name="([^"]*)"/i.exec(line)?.[1];
  if (name === undefined) throw invalid();
  const filename = /[;\s]filename="([^"]*)"/i.exec(line)?.[1] ?? null;
  refuseNul(filename);
  return { name, filename };
}

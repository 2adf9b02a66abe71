import { isUtf8 } from 'node:buffer';
import { AppError } from '../../lib/errors.ts';

const mebibyte = 1024 * 1024;

const sizeText = (bytes: number): string =>
  bytes < mebibyte ? `${Math.floor(bytes / 1024)} KiB` : `${Math.floor(bytes / mebibyte)} MiB`;

const tooLarge = (maxBytes: number) =>
  new AppError('request_too_large', `The request body is larger than ${sizeText(maxBytes)}.`);

/** The whole body, decompressed, never more than `maxBytes`: what a small compressed body expands to counts. */
export function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  const length = request.headers.get('content-length');
  if (length !== null && Number(length) > maxBytes) return Promise.reject(tooLarge(maxBytes));
  const encoding = request.headers.get('content-encoding');
  if (length !== null && encoding === null) return request.bytes();
  return readPieces(request, maxBytes, encoding);
}

async function readPieces(request: Request, maxBytes: number, encoding: string | null): Promise<Uint8Array> {
  if (!request.body) return new Uint8Array(0);
  return gather(encoding ? request.body.pipeThrough(decompressor(encoding)) : request.body, maxBytes, encoding);
}

function decompressor(encoding: string): ReadableWritablePair<Uint8Array, Uint8Array<ArrayBuffer>> {
  const names: Record<string, string> = {
    gzip: 'gzip',
    'x-gzip': 'gzip',
    deflate: 'deflate',
    br: 'brotli',
    zstd: 'zstd',
  };
  const name = names[encoding.trim().toLowerCase()];
  if (!name)
    throw new AppError('unsupported_media_type', `Content-Encoding ${JSON.stringify(encoding)} is not supported.`);
  // Bun knows brotli and zstd too; the DOM's type does not.
  return new DecompressionStream(name as CompressionFormat) as ReadableWritablePair<
    Uint8Array,
    Uint8Array<ArrayBuffer>
  >;
}

async function gather(
  stream: ReadableStream<Uint8Array>,
  maxBytes: number,
  encoding: string | null,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.byteLength;
      if (size > maxBytes) throw tooLarge(maxBytes);
      chunks.push(value);
    }
  } catch (error) {
    await reader.cancel().catch(() => {});
    if (error instanceof AppError || !encoding) throw error;
    throw new AppError('invalid_json', `The request body is not valid ${encoding} data.`);
  }
  return Buffer.concat(chunks);
}

/** JSON must be UTF-8 (RFC 8259 §8.1); replacing bad bytes silently would change what the caller said. */
export function parseJson(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) throw new AppError('invalid_json', 'The request body is empty; JSON was expected.');
  if (!isUtf8(bytes)) throw new AppError('invalid_json', 'The request body is not valid UTF-8.');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError('invalid_json', 'The request body is not valid JSON.');
  }
}

/** PostgreSQL cannot store NUL in text, and no field of ours has a use for it. */
export function refuseNul(value: unknown): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw new AppError('invalid_value', 'NUL characters are not allowed.');
  } else if (Array.isArray(value)) {
    for (const item of value) refuseNul(item);
  } else if (typeof value === 'object' && value !== null) {
    for (const key in value) {
      refuseNul(key);
      refuseNul((value as Record<string, unknown>)[key]);
    }
  }
}

/** Form or query parameters as an object; a repeated one is refused (RFC 6749 §3.1, §3.2). */
export function fieldsOf(parameters: URLSearchParams): Record<string, string> {
  // Without a prototype, so that a parameter may be called __proto__ and is one like any other.
  const fields: Record<string, string> = Object.create(null);
  for (const [name, value] of parameters) setField(fields, name, value);
  return fields;
}

export function setField(fields: Record<string, string>, name: string, value: string): void {
  if (fields[name] !== undefined)
    throw new AppError('invalid_request', `The parameter ${JSON.stringify(name)} is given more than once.`, {
      param: name,
    });
  refuseNul(name);
  refuseNul(value);
  fields[name] = value;
}

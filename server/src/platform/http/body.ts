import { isUtf8 } from 'node:buffer';
import { AppError } from '../../lib/errors.ts';
import { refuseHeavy, shapeLimits } from './json-shape.ts';
import { repeatedName } from './repeated-names.ts';
import type { Call, Grow } from './route.ts';

const mebibyte = 1024 * 1024;
/** For bodies that carry pictures, which take the room; what is made of much else is refused by its shape. */
export const maxJsonBytes = 32 * mebibyte;

const sizeText = (bytes: number): string =>
  bytes < mebibyte ? `${Math.floor(bytes / 1024)} KiB` : `${Math.floor(bytes / mebibyte)} MiB`;

const tooLarge = (maxBytes: number) =>
  new AppError('request_too_large', `The request body is larger than ${sizeText(maxBytes)}.`);

/** A body below this is read in milliseconds, whatever it is made of. */
const largeBytes = 64 * 1024;

type Received = Pick<Call, 'request' | 'arrived' | 'grow'>;

/** The whole body. From here on the connection may be quiet for as long as the answer takes. */
export async function receive(call: Received, maxBytes: number): Promise<Uint8Array> {
  try {
    const bytes = await readBody(call, maxBytes);
    call.arrived?.();
    return bytes;
  } catch (error) {
    throw unreceived(error, call.request);
  }
}

/** Cut off or gone in the middle of it: nobody reads the answer, and it is no failure of ours. */
export const unreceived = (error: unknown, request: Request): unknown =>
  error instanceof AppError || !request.signal.aborted
    ? error
    : new AppError('request_timeout', 'The request body did not arrive.');

/** What was received, as JSON. */
export const parse = (bytes: Uint8Array): unknown | Promise<unknown> =>
  bytes.byteLength < largeBytes ? parseJson(bytes) : parseLarge(bytes);

/** The JSON of a request. */
export async function readJson(call: Received, maxBytes: number): Promise<unknown> {
  return parse(await receive(call, maxBytes));
}

/** The same where most answers come at once: whoever lets the caller wait says so with `arrived`. */
export const readJsonSoonAnswered = (call: Received, maxBytes: number): Promise<unknown> =>
  readBody(call, maxBytes).then(parse, (error) => {
    throw unreceived(error, call.request);
  });

const others = (): Promise<unknown> => new Promise(setImmediate);

/** In steps of a few hundredths of a second at most, with a turn for everybody else between them. */
async function parseLarge(bytes: Uint8Array): Promise<unknown> {
  await refuseHeavy(bytes);
  const text = textOf(bytes);
  await others();
  const value = parseText(text);
  await others();
  return value;
}

/** The whole body, decompressed, never more than `maxBytes`: what a small compressed body expands to counts. */
export function readBody(call: Pick<Call, 'request' | 'grow'>, maxBytes: number): Promise<Uint8Array> {
  const { request } = call;
  const length = request.headers.get('content-length');
  if (length !== null && Number(length) > maxBytes) return Promise.reject(tooLarge(maxBytes));
  const encoding = request.headers.get('content-encoding');
  if (length !== null && encoding === null) return request.bytes();
  return readPieces(call, maxBytes, encoding);
}

async function readPieces(
  call: Pick<Call, 'request' | 'grow'>,
  maxBytes: number,
  encoding: string | null,
): Promise<Uint8Array> {
  const { body } = call.request;
  if (!body) return new Uint8Array(0);
  if (!encoding) return gather(body, maxBytes, encoding);
  return gather(body.pipeThrough(decompressor(encoding)), maxBytes, encoding, (bytes) => call.grow?.(bytes));
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
  grow?: Grow,
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
      grow?.(value.byteLength);
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
export const parseJson = (bytes: Uint8Array): unknown => parseText(textOf(bytes));

function textOf(bytes: Uint8Array): string {
  if (bytes.byteLength === 0) throw new AppError('invalid_json', 'The request body is empty; JSON was expected.');
  if (!isUtf8(bytes)) throw new AppError('invalid_json', 'The request body is not valid UTF-8.');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError('invalid_json', 'The request body is not valid JSON.');
  }
}

/** What the path names counts, whatever the body says. */
export const withMembers = ({ members }: Pick<Call, 'members'>, body: unknown): unknown =>
  members && typeof body === 'object' && body !== null && !Array.isArray(body) ? { ...body, ...members } : body;

/** PostgreSQL cannot store NUL in text, and no field of ours has a use for it. */
export function refuseNul(value: unknown, depth = 0): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw new AppError('invalid_value', 'NUL characters are not allowed.');
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  // Whoever walks through it next would run out of stack.
  if (depth > shapeLimits.depth)
    throw new AppError('invalid_value', `The request is nested deeper than ${shapeLimits.depth} levels.`);
  if (Array.isArray(value)) {
    for (const item of value) refuseNul(item, depth + 1);
    return;
  }
  for (const key in value) {
    refuseNul(key);
    refuseNul((value as Record<string, unknown>)[key], depth + 1);
  }
}

export type Fields = Record<string, string | string[]>;
/** Whether a parameter of that name may be given more than once. */
export type Repeatable = (name: string) => boolean;

/** Form or query parameters as an object; a repeated one is refused (RFC 6749 §3.1, §3.2), or where it may be, a list. */
export function fieldsOf(parameters: URLSearchParams, repeatable?: Repeatable): Fields {
  // Without a prototype, so that a parameter may be called __proto__ and is one like any other.
  const fields: Fields = Object.create(null);
  for (const [name, value] of parameters) setField(fields, name, value, repeatable);
  return fields;
}

const repeated = (name: string): AppError =>
  new AppError('invalid_request', `The parameter ${JSON.stringify(name)} is given more than once.`, { param: name });

/** As of a form, of JSON: which of two counts is not the same for everybody who reads it. */
export function refuseRepeated(bytes: Uint8Array): void {
  const name = repeatedName(textOf(bytes));
  if (name !== null) throw repeated(name);
}

export function setField(fields: Fields, name: string, value: string, repeatable?: Repeatable): void {
  const before = fields[name];
  if (before !== undefined && !repeatable?.(name)) throw repeated(name);
  refuseNul(name);
  refuseNul(value);
  if (before === undefined) fields[name] = value;
  else if (typeof before === 'string') fields[name] = [before, value];
  else before.push(value);
}

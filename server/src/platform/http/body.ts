import { isUtf8 } from 'node:buffer';
import { AppError } from '../../lib/errors.ts';
import { largeBytes, refuseHeavy, shapeLimits } from '../../lib/json-shape.ts';
import { table } from '../../lib/table.ts';
import { takeTurns } from '../../lib/take-turns.ts';
import { repeatedName } from './repeated-names.ts';
import type { Call, Grow } from './route.ts';

const mebibyte = 1024 * 1024;
/** Large enough for images; bodies of many small values are limited by their shape instead. */
export const maxJsonBytes = 32 * mebibyte;

const sizeText = (bytes: number): string =>
  bytes < mebibyte ? `${Math.floor(bytes / 1024)} KiB` : `${Math.floor(bytes / mebibyte)} MiB`;

const tooLarge = (maxBytes: number) =>
  new AppError('request_too_large', `The request body is larger than ${sizeText(maxBytes)}.`);

type Received = Pick<Call, 'request' | 'arrived' | 'grow' | 'stillIn'>;

/**
 * Reads the whole body. From then on the connection may stay quiet for as long as the answer takes. The caller may have
 * lost access while it was sent.
 */
export async function receive(call: Received, maxBytes: number): Promise<Uint8Array> {
  let bytes: Uint8Array;
  try {
    bytes = await readBody(call, maxBytes);
  } catch (error) {
    throw unreceived(error, call.request);
  }
  call.arrived?.();
  const known = call.stillIn?.();
  if (known) await known;
  return bytes;
}

/** The client disconnected while sending: the error is not ours, and there is no reader for an answer. */
export const unreceived = (error: unknown, request: Request): unknown =>
  error instanceof AppError || !request.signal.aborted
    ? error
    : new AppError('request_timeout', 'The request body was not received in full.');

export type Parse = (text: string) => unknown;

/** Parses received bytes as JSON. */
export const parse = (bytes: Uint8Array, how: Parse = JSON.parse): unknown | Promise<unknown> =>
  bytes.byteLength < largeBytes ? parseText(textOf(bytes), how) : parseLarge(bytes, how);

/** Reads a request's JSON body. */
export async function readJson(call: Received, maxBytes: number, how?: Parse): Promise<unknown> {
  return parse(await receive(call, maxBytes), how);
}

/** The same for endpoints that usually answer quickly; slow ones lift the idle timeout themselves with `arrived`. */
export const readJsonSoonAnswered = (call: Received, maxBytes: number, how?: Parse): Promise<unknown> =>
  readBody(call, maxBytes).then(
    (bytes) => call.stillIn?.()?.then(() => parse(bytes, how)) ?? parse(bytes, how),
    (error) => {
      throw unreceived(error, call.request);
    },
  );

const others = (): Promise<unknown> => new Promise(setImmediate);

/** Yields to the event loop every few hundredths of a second. */
async function parseLarge(bytes: Uint8Array, how: Parse): Promise<unknown> {
  await refuseHeavy(bytes);
  const text = textOf(bytes);
  await others();
  const value = parseText(text, how);
  await others();
  return value;
}

/** The whole body, decompressed, limited to `maxBytes`; the limit applies to the expanded size. */
export function readBody(call: Pick<Call, 'request' | 'grow'>, maxBytes: number): Promise<Uint8Array> {
  const { request } = call;
  const length = request.headers.get('content-length');
  if (length !== null && Number(length) > maxBytes) return Promise.reject(tooLarge(maxBytes));
  const encoding = encodingOf(request);
  if (length !== null && encoding === null) return request.bytes();
  return readPieces(call, maxBytes, encoding);
}

/** Null for bodies that are sent as they are, which some clients name `identity` (RFC 9110 §12.5.3). */
function encodingOf({ headers }: Request): string | null {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase();
  return encoding && encoding !== 'identity' ? encoding : null;
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

const encodings = table<string>({
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'brotli',
  zstd: 'zstd',
});

function decompressor(encoding: string): ReadableWritablePair<Uint8Array, Uint8Array<ArrayBuffer>> {
  const name = encodings[encoding];
  if (!name)
    throw new AppError('unsupported_media_type', `Content-Encoding ${JSON.stringify(encoding)} is not supported.`);
  // Bun also supports brotli and zstd; the DOM's type does not list them.
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
  const turn = takeTurns();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.byteLength;
      if (size > maxBytes) throw tooLarge(maxBytes);
      grow?.(value.byteLength);
      chunks.push(value);
      const next = turn(value.byteLength);
      if (next) await next;
    }
  } catch (error) {
    await reader.cancel().catch(() => {});
    if (error instanceof AppError || !encoding) throw error;
    throw new AppError('invalid_json', `The request body is not valid ${encoding} data.`);
  }
  return Buffer.concat(chunks);
}

/** JSON must be UTF-8 (RFC 8259 §8.1); silently replacing invalid bytes would change the caller's text. */
export const parseJson = (bytes: Uint8Array): unknown => parseText(textOf(bytes), JSON.parse);

function textOf(bytes: Uint8Array): string {
  if (bytes.byteLength === 0) throw new AppError('invalid_json', 'The request body is empty; JSON was expected.');
  if (!isUtf8(bytes)) throw new AppError('invalid_json', 'The request body is not valid UTF-8.');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  // A parser may ignore a byte order mark (RFC 8259 §8.1); programs of Windows begin UTF-8 with one.
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

function parseText(text: string, how: Parse): unknown {
  try {
    return how(text);
  } catch {
    throw new AppError('invalid_json', 'The request body is not valid JSON.');
  }
}

/** Members given by the path override those of the body. */
export const withMembers = ({ members }: Pick<Call, 'members'>, body: unknown): unknown =>
  members && typeof body === 'object' && body !== null && !Array.isArray(body) ? { ...body, ...members } : body;

/** PostgreSQL cannot store NUL in text, and no field of ours needs it. */
export function refuseNul(value: unknown, depth = 0): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw new AppError('invalid_value', 'NUL characters are not allowed.');
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  // Deeper recursion would overflow the stack of later code.
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
/** Whether the parameter may be repeated. */
export type Repeatable = (name: string) => boolean;

/**
 * Form or query parameters as an object. Repeated ones are refused (RFC 6749 §3.1, §3.2), or become a list where
 * allowed.
 */
export function fieldsOf(parameters: URLSearchParams, repeatable?: Repeatable): Fields {
  // No prototype, so that `__proto__` is a parameter like any other.
  const fields: Fields = Object.create(null);
  for (const [name, value] of parameters) setField(fields, name, value, repeatable);
  return fields;
}

const repeated = (name: string): AppError =>
  new AppError('invalid_request', `The parameter ${JSON.stringify(name)} is specified more than once.`, {
    param: name,
  });

/** The same for JSON: parsers disagree on which of two equal names wins. */
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

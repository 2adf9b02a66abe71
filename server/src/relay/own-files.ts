import { isUtf8 } from 'node:buffer';
import { AppError } from '../lib/errors.ts';
import { imageType } from '../lib/image-type.ts';
import { table } from '../lib/table.ts';
import type { Grow } from '../platform/http/route.ts';
import type { RelayDeps } from './deps.ts';
import type { KeyCall } from './request-context.ts';
import { isObject, type Json } from './wire/conversation.ts';

/** Bounds how large a small request can become: each file is read into it. */
const mostFiles = 20;
/** As base64, the size a request may have that carries its data itself. */
const mostBytes = 24 * 1024 * 1024;

/** A file in the form that request parts hold it. */
interface Inlined {
  filename: string;
  mediaType: string;
  data: string;
  /** Set for text files, which vendors read as text. */
  text: string | undefined;
}

interface Place {
  idIn(part: Json): unknown;
  holding(part: Json, file: Inlined): Json;
}

const dataUrl = ({ mediaType, data }: Inlined): string => `data:${mediaType};base64,${data}`;
const titled = ({ filename, text }: Inlined): string => `${filename}\n\n${text}`;
const ofSource = ({ source }: Json): unknown => isObject(source) && source.type === 'file' && source.file_id;
const base64 = ({ mediaType: media_type, data }: Inlined) => ({ type: 'base64', media_type, data });

/** Where a request refers to a file, by part type: chats, responses and messages. */
const places = table<Place>({
  file: {
    idIn: ({ file }) => isObject(file) && file.file_id,
    holding: (_, file) =>
      file.text === undefined
        ? { type: 'file', file: { filename: file.filename, file_data: dataUrl(file) } }
        : { type: 'text', text: titled(file) },
  },
  input_file: {
    idIn: ({ file_id }) => file_id,
    holding: (_, file) =>
      file.text === undefined
        ? { type: 'input_file', filename: file.filename, file_data: dataUrl(file) }
        : { type: 'input_text', text: titled(file) },
  },
  input_image: {
    idIn: ({ file_id }) => file_id,
    holding: ({ file_id: _, ...part }, file) => ({ ...part, image_url: dataUrl(file) }),
  },
  image: { idIn: ofSource, holding: (part, file) => ({ ...part, source: base64(file) }) },
  document: {
    idIn: ofSource,
    holding: (part, file) => ({
      ...part,
      source: file.text === undefined ? base64(file) : { type: 'text', media_type: 'text/plain', data: file.text },
    }),
  },
});

const placeOf = ({ type }: Json): Place | undefined => (typeof type === 'string' ? places[type] : undefined);

/** Parts are found in messages and items, and in tool results. */
const deepest = 3;

/** Replaces references to the caller's uploaded files by their data; vendors do not know our ids. */
export async function withOwnFiles<T>(
  deps: Pick<RelayDeps, 'fileOf'>,
  userId: number,
  items: T,
  grow: Grow,
): Promise<T> {
  const ids = deps.fileOf && idsIn(items);
  return ids ? withFiles(deps, userId, items, ids, grow) : items;
}

async function withFiles<T>(
  deps: Pick<RelayDeps, 'fileOf'>,
  userId: number,
  items: T,
  named: readonly string[],
  grow: Grow,
): Promise<T> {
  const mentions = Map.groupBy(named, (id) => id);
  if (mentions.size > mostFiles)
    throw new AppError('invalid_value', `A request may refer to at most ${mostFiles} files.`);
  const files = new Map<string, Inlined>();
  let bytes = 0;
  for (const [id, { length: times }] of mentions) {
    const file = await deps.fileOf!(userId, id);
    if (!file) continue;
    // Sent once per reference.
    bytes += file.bytes * times;
    if (bytes > mostBytes)
      throw new AppError('request_too_large', `The files of a request may have at most ${mostBytes} bytes in total.`);
    grow(file.bytes * times);
    const content = await file.content();
    if (content) files.set(id, inlined(file.filename, content));
  }
  // The shape is unchanged: only parts are replaced.
  return (files.size === 0 ? items : replaced(items, files)) as T;
}

/** The same for a chat or a message; synchronous without references, which is the usual case. */
export function chatWithOwnFiles<B>(
  deps: Pick<RelayDeps, 'fileOf'>,
  call: Pick<KeyCall, 'principal' | 'grow'>,
  body: B,
): B | Promise<B> {
  if (!isObject(body)) return body;
  const ids = deps.fileOf && idsIn(body.messages);
  if (!ids) return body;
  return chatWithFiles(deps, call, body, ids);
}

async function chatWithFiles<B extends Json>(
  deps: Pick<RelayDeps, 'fileOf'>,
  call: Pick<KeyCall, 'principal' | 'grow'>,
  body: B,
  ids: readonly string[],
): Promise<B> {
  const grow: Grow = (bytes) => call.grow?.(bytes);
  return { ...body, messages: await withFiles(deps, call.principal.user.id, body.messages, ids, grow) };
}

/** The list is created with the first id, since most requests have none. */
function idsIn(items: unknown, depth = 1, before?: string[]): string[] | undefined {
  if (!Array.isArray(items) || depth > deepest) return before;
  let ids = before;
  for (const item of items) {
    if (!isObject(item)) continue;
    const id = placeOf(item)?.idIn(item);
    if (typeof id === 'string') {
      ids ??= [];
      ids.push(id);
    }
    ids = idsIn(item.content, depth + 1, ids);
    ids = idsIn(item.output, depth + 1, ids);
  }
  return ids;
}

function replaced(items: unknown, files: ReadonlyMap<string, Inlined>, depth = 1): unknown {
  if (!Array.isArray(items) || depth > deepest) return items;
  return items.map((item) => {
    if (!isObject(item)) return item;
    const place = placeOf(item);
    const file = place && files.get(`${place.idIn(item)}`);
    if (file) return place.holding(item, file);
    const { content, output } = item;
    return {
      ...item,
      ...(Array.isArray(content) && { content: replaced(content, files, depth + 1) }),
      ...(Array.isArray(output) && { output: replaced(output, files, depth + 1) }),
    };
  });
}

function inlined(filename: string, content: Uint8Array): Inlined {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const { type } = imageType(content);
  const mediaType = bytes.toString('latin1', 0, 5) === '%PDF-' ? 'application/pdf' : type;
  const isText = mediaType === 'application/octet-stream' && !bytes.includes(0) && isUtf8(bytes);
  return {
    filename,
    mediaType,
    data: bytes.toString('base64'),
    text: isText ? new TextDecoder().decode(bytes) : undefined,
  };
}

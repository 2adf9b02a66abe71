import { isUtf8 } from 'node:buffer';
import { AppError } from '../lib/errors.ts';
import type { Grow } from '../platform/http/route.ts';
import type { RelayDeps } from './deps.ts';
import { imageType } from './endpoints/image-type.ts';
import type { KeyCall } from './request-context.ts';
import { isObject, type Json } from './wire/conversation.ts';

/** Each is read for the request: more would make a small one a large one without end. */
const mostFiles = 20;
/** As base64 this is what a request may have that brings its data itself. */
const mostBytes = 24 * 1024 * 1024;

/** A file as parts of a request hold it. */
interface Inlined {
  filename: string;
  mediaType: string;
  data: string;
  /** Of a file that is text, which vendors read as such. */
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

/** Where a request names a file, by the type of the part: in chats, in responses, and in messages. */
const places: Record<string, Place> = {
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
};

const placeOf = ({ type }: Json): Place | undefined =>
  typeof type === 'string' && Object.hasOwn(places, type) ? places[type] : undefined;

/** Parts stand in messages and items, and within results of tools. */
const deepest = 3;

/** The caller's own files as data where items of a request, or parts within them, name them; no vendor knows these ids. */
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
  if (mentions.size > mostFiles) throw new AppError('invalid_value', `A request may name ${mostFiles} files at most.`);
  const files = new Map<string, Inlined>();
  let bytes = 0;
  for (const [id, { length: times }] of mentions) {
    const file = await deps.fileOf!(userId, id);
    if (!file) continue;
    // Each time it is named it is sent once more.
    bytes += file.bytes * times;
    if (bytes > mostBytes)
      throw new AppError('request_too_large', `The files that a request names may have ${mostBytes} bytes at most.`);
    grow(file.bytes * times);
    const content = await file.content();
    if (content) files.set(id, inlined(file.filename, content));
  }
  // Of the same shape: only parts are exchanged.
  return (files.size === 0 ? items : replaced(items, files)) as T;
}

/** The same of a chat, or of messages; at once where none is named, as in nearly all. */
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

/** Made with the first, which nearly no request has. */
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
  return { filename, mediaType, data: bytes.toString('base64'), text: isText ? bytes.toString('utf8') : undefined };
}

import { OutgoingError, sendGuarded } from '../platform/http/outgoing.ts';
import type { RequestContext } from './deps.ts';
import { imageType } from './endpoints/image-type.ts';
import type { ProviderKind } from './providers/kind.ts';
import { type Conversation, type ImagePart, isObject, type Json, type Part } from './wire/conversation.ts';

/** What vendors take of pictures in a request is bounded by about this. */
const maxImageBytes = 15 * 1024 * 1024;
const timeoutMs = 15_000;
/** More would let one small request make us fetch without end. */
const mostImages = 20;

/**
 * The conversation with pictures as data where this kind of upstream cannot be trusted to fetch them. The
 * addresses are users', so they are dialled guarded. A picture that cannot be had keeps its address: the
 * vendor may reach what we do not, or say what is wrong.
 */
export function inlineImages(
  kind: ProviderKind,
  conversation: Conversation,
  allowPrivate: boolean,
  context: Pick<RequestContext, 'signal'>,
): Conversation | Promise<Conversation> {
  // What goes to Google as it came names its pictures itself, which may be files of its own.
  const passes = kind.wire === 'gemini' && conversation.source?.format === 'gemini';
  return kind.wantsImageData && !passes ? withPictures(conversation, allowPrivate, context.signal) : conversation;
}

async function withPictures(
  conversation: Conversation,
  allowPrivate: boolean,
  signal: AbortSignal,
): Promise<Conversation> {
  const found = new Map<string, Promise<ImagePart['source'] | null>>();
  for (const part of imagesOf(conversation)) {
    if (found.size >= mostImages || !('url' in part.source) || found.has(part.source.url)) continue;
    found.set(part.source.url, fetchPicture(part.source.url, allowPrivate, signal));
  }
  if (found.size === 0) return conversation;
  const sources = new Map<string, ImagePart['source']>();
  for (const [url, fetched] of found) {
    const source = await fetched;
    if (source) sources.set(url, source);
  }
  const turns = conversation.turns.map((turn) => ({
    ...turn,
    parts: turn.parts.map((part) => replaced(part, sources)),
  }));
  const { source } = conversation;
  if (source?.format !== 'messages') return { ...conversation, turns };
  // Where a body of this format goes as it came, its pictures go with it; what is put into an object leaves it one.
  return { ...conversation, turns, source: { ...source, body: withSources(source.body, sources) as Json } };
}

/** A value of a body of Messages with its pictures as data, wherever they stand in it. */
function withSources(value: unknown, sources: Map<string, ImagePart['source']>): unknown {
  if (Array.isArray(value)) return value.map((item) => withSources(item, sources));
  if (!isObject(value)) return value;
  const { type, source, content, messages } = value;
  const found = type === 'image' && isObject(source) && source.type === 'url' && sources.get(String(source.url));
  if (found && 'data' in found)
    return { ...value, source: { type: 'base64', media_type: found.mediaType, data: found.data } };
  if (Array.isArray(messages)) return { ...value, messages: withSources(messages, sources) };
  return Array.isArray(content) ? { ...value, content: withSources(content, sources) } : value;
}

function* imagesOf(conversation: Conversation): Generator<ImagePart> {
  for (const turn of conversation.turns) {
    for (const part of turn.parts) {
      if (part.type === 'image') yield part;
      else if (part.type === 'tool_result') for (const inner of part.content) if (inner.type === 'image') yield inner;
    }
  }
}

function replaced<P extends Part>(part: P, sources: Map<string, ImagePart['source']>): P {
  if (part.type === 'image' && 'url' in part.source) {
    const source = sources.get(part.source.url);
    return source ? { ...part, source } : part;
  }
  if (part.type !== 'tool_result') return part;
  return { ...part, content: part.content.map((inner) => replaced(inner, sources)) };
}

async function fetchPicture(
  url: string,
  allowPrivate: boolean,
  signal: AbortSignal,
): Promise<ImagePart['source'] | null> {
  const request = {
    url,
    method: 'GET',
    headers: { accept: 'image/*' },
    timeoutMs,
    maxAnswerBytes: maxImageBytes,
    signal,
  };
  try {
    const { status, truncated, body } = await sendGuarded(request, { allowPrivate });
    const { type } = imageType(body);
    if (status !== 200 || truncated || !type.startsWith('image/')) return null;
    return { mediaType: type, data: Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64') };
  } catch (error) {
    if (error instanceof OutgoingError) return null;
    throw error;
  }
}

import { imageType } from '../lib/image-type.ts';
import { OutgoingError, sendGuarded } from '../platform/http/outgoing.ts';
import type { RequestContext } from './deps.ts';
import type { ProviderKind, Target } from './providers/kind.ts';
import { type Conversation, type ImagePart, isObject, type Json, type Part } from './wire/conversation.ts';
import { toDataUrl } from './wire/data-url.ts';

/** About the largest image that vendors accept in a request. */
const maxImageBytes = 15 * 1024 * 1024;
const timeoutMs = 15_000;
/** Bounds the fetches that one small request can cause. */
const mostImages = 20;
/** Limit of all images, counted once per occurrence: as much as a request could carry itself. */
const mostBytes = 24 * 1024 * 1024;
/** Parallel fetches. Kept low, because a size is known only after the download. */
const atOnce = 4;

/**
 * Inlines images as data for upstreams that cannot be trusted to fetch them. Addresses come from users, so they are
 * fetched through the SSRF guard. An image that cannot be fetched keeps its address: the vendor may reach it, or report
 * the error.
 */
export function inlineImages(
  kind: ProviderKind,
  conversation: Conversation,
  allowPrivate: boolean,
  context: Pick<RequestContext, 'signal'>,
  target?: Target,
): Conversation | Promise<Conversation> {
  // Bodies in Gemini's own format may refer to Google's files, which only Google can read.
  const passes = kind.wire === 'gemini' && conversation.source?.format === 'gemini';
  const { wantsImageData: wants } = kind;
  const isWanted = typeof wants === 'function' ? target !== undefined && wants(target) : wants;
  return isWanted && !passes ? withPictures(conversation, allowPrivate, context.signal) : conversation;
}

async function withPictures(
  conversation: Conversation,
  allowPrivate: boolean,
  signal: AbortSignal,
): Promise<Conversation> {
  const urls = [...imagesOf(conversation)].flatMap(({ source }) => ('url' in source ? [source.url] : []));
  if (urls.length === 0) return conversation;
  const sources = await fetchPictures(
    Map.groupBy(urls, (url) => url),
    allowPrivate,
    signal,
  );
  const turns = conversation.turns.map((turn) => ({
    ...turn,
    parts: turn.parts.map((part) => replaced(part, sources)),
  }));
  const { source } = conversation;
  if (source?.format !== 'messages' && source?.format !== 'chat') return { ...conversation, turns };
  // The original body is forwarded in these formats, so its images are replaced there too.
  return { ...conversation, turns, source: { ...source, body: withSources(source.body, sources) as Json } };
}

type Sources = Map<string, ImagePart['source']>;

/** By address, with the number of occurrences; images beyond the limits are left out. */
async function fetchPictures(
  places: ReadonlyMap<string, readonly unknown[]>,
  allowPrivate: boolean,
  signal: AbortSignal,
): Promise<Sources> {
  const sources: Sources = new Map();
  const waiting = [...places].slice(0, mostImages);
  let left = mostBytes;
  while (waiting.length > 0 && left > 0) {
    const together = waiting.splice(0, atOnce).map(async ([url, { length: times }]) => {
      const most = Math.min(maxImageBytes, Math.floor(left / times));
      return { url, times, picture: most > 0 ? await fetchPicture(url, most, allowPrivate, signal) : null };
    });
    for (const { url, times, picture } of await Promise.all(together)) {
      if (!picture || picture.bytes * times > left) continue;
      left -= picture.bytes * times;
      sources.set(url, picture.source);
    }
  }
  return sources;
}

/** A Messages or chat body with its images inlined, at any depth. */
function withSources(value: unknown, sources: Sources): unknown {
  if (Array.isArray(value)) return value.map((item) => withSources(item, sources));
  if (!isObject(value)) return value;
  const { type, source, image_url: image, content, messages } = value;
  const found = type === 'image' && isObject(source) && source.type === 'url' && sources.get(String(source.url));
  if (found && 'data' in found)
    return { ...value, source: { type: 'base64', media_type: found.mediaType, data: found.data } };
  const shown = type === 'image_url' && sources.get(String(isObject(image) ? image.url : image));
  if (shown && 'data' in shown) {
    const url = toDataUrl(shown.mediaType, shown.data);
    return { ...value, image_url: isObject(image) ? { ...image, url } : { url } };
  }
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

function replaced<P extends Part>(part: P, sources: Sources): P {
  if (part.type === 'image' && 'url' in part.source) {
    const source = sources.get(part.source.url);
    return source ? { ...part, source } : part;
  }
  if (part.type !== 'tool_result') return part;
  return { ...part, content: part.content.map((inner) => replaced(inner, sources)) };
}

async function fetchPicture(
  url: string,
  maxAnswerBytes: number,
  allowPrivate: boolean,
  signal: AbortSignal,
): Promise<{ source: ImagePart['source']; bytes: number } | null> {
  const request = {
    url,
    method: 'GET',
    headers: { accept: 'image/*' },
    timeoutMs,
    maxAnswerBytes,
    signal,
  };
  try {
    const { status, truncated, body } = await sendGuarded(request, { allowPrivate });
    const { type } = imageType(body);
    if (status !== 200 || truncated || !type.startsWith('image/')) return null;
    const data = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64');
    return { source: { mediaType: type, data }, bytes: body.byteLength };
  } catch (error) {
    if (error instanceof OutgoingError) return null;
    throw error;
  }
}

import type { FilePart, Part } from './wire/conversation.ts';
import { isRawMedia } from './wire/raw-part.ts';
import { weigh } from './wire/read.ts';

/** What images, audio and files add to a prompt. */
export interface Media {
  /** A rough estimate; no vendor counts more than four times as many. */
  tokens: number;
  images: number;
  sounds: number;
  /** Whether a part asks for the vendor's prompt cache. */
  cached: boolean;
  /** Bytes of the request that are media rather than text. */
  bytes: number;
  /** Tokens that files known only by address or id may have beyond the estimate: the vendor alone can measure them. */
  unmeasured: number;
  /** Whether a part may be a video, which can fill any context: by its length, or by the images taken of a second. */
  endless: boolean;
}

/** Upper bound of most vendors. */
export const tokensPerImage = 1_600;
/** A file known only by its address, or a video: a few dozen pages or minutes. */
const tokensByReference = 25_000;
/** At least three pages, since many fit into few bytes; at most a hundred, as vendors accept no more. */
const leastPerFile = 6_250;
const mostPerFile = 75_000;
/** Bytes of speech per token at the lowest rates of common encoders; other codecs may be denser. */
const soundBytesPerToken: Record<string, number> = { mp3: 400, wav: 400 };
const tightSoundBytesPerToken = 100;
const bytesPerToken = 4;

const decoded = (base64: string): number => Math.ceil(base64.length * 0.75);

export function mediaOf(turns: readonly { parts: readonly Part[] }[]): Media {
  const media: Media = { tokens: 0, images: 0, sounds: 0, cached: false, bytes: 0, unmeasured: 0, endless: false };
  for (const turn of turns) for (const part of turn.parts) add(media, part);
  return media;
}

function add(media: Media, part: Part): void {
  if ('cacheControl' in part) media.cached = true;
  switch (part.type) {
    case 'image':
      media.images += 1;
      media.tokens += tokensPerImage;
      if ('data' in part.source) media.bytes += part.source.data.length;
      return;
    case 'audio':
      media.sounds += 1;
      media.tokens += soundTokens(part.data, part.format);
      media.bytes += part.data.length;
      return;
    case 'file':
      addFile(media, part);
      return;
    case 'tool_result':
      for (const inner of part.content) add(media, inner);
      return;
    case 'raw': {
      if (!isRawMedia(part)) return;
      // Whatever its format is.
      media.images += 1;
      media.sounds += 1;
      const bytes = weigh(part.value);
      media.tokens += Math.min(mostPerFile, Math.max(tokensByReference, Math.ceil(bytes / bytesPerToken)));
      media.bytes += bytes;
      media.endless = true;
    }
  }
}

function addFile(media: Media, { source }: FilePart): void {
  if ('text' in source) return;
  if (!('data' in source)) {
    media.tokens += tokensByReference;
    media.unmeasured += mostPerFile - tokensByReference;
    return;
  }
  const { mediaType, data } = source;
  media.bytes += data.length;
  if (mediaType.startsWith('image/')) {
    media.images += 1;
    media.tokens += tokensPerImage;
  } else if (mediaType.startsWith('audio/')) {
    media.sounds += 1;
    media.tokens += soundTokens(data, mediaType.slice(6));
  } else media.tokens += fileTokens(mediaType, Math.ceil(decoded(data) / bytesPerToken));
}

const fileTokens = (mediaType: string, tokens: number): number =>
  mediaType.startsWith('text/') ? tokens : Math.min(mostPerFile, Math.max(leastPerFile, tokens));

const soundTokens = (data: string, format: string): number =>
  Math.ceil(decoded(data) / (soundBytesPerToken[format] ?? tightSoundBytesPerToken));

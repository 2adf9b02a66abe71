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
  /** Whether a part is a file other than text: only the vendor knows its pages. */
  paged: boolean;
  /** Tokens that such files may have beyond the estimate. */
  unmeasured: number;
  /** Tokens that images and sounds of unusual detail or density may have beyond the estimate: rare, so not held for. */
  unusual: number;
  /** Whether a part may be a video, which can fill any context: by its length, or by the images taken of a second. */
  endless: boolean;
}

/** Upper bound of most vendors, and of images in full detail. */
export const tokensPerImage = 1_600;
const mostPerImage = 20_000;
/** A file known only by its address, or a video: a few dozen pages or minutes. */
const tokensByReference = 25_000;
/** At least three pages, since many fit into few bytes; at most a hundred, as vendors accept no more. */
const leastPerFile = 6_250;
const mostPerFile = 75_000;
/** Bytes of speech per token at the lowest rates of common encoders; other codecs may be denser. */
const soundBytesPerToken = new Map([
  ['mp3', 400],
  ['wav', 400],
]);
const tightSoundBytesPerToken = 100;
/** The lowest rate of speech encoders, 6 kbit/s, where a second has 32 tokens. */
const leastSoundBytesPerToken = 23;
const bytesPerToken = 4;

const decoded = (base64: string): number => Math.ceil(base64.length * 0.75);

export function mediaOf(turns: readonly { parts: readonly Part[] }[]): Media {
  const media: Media = {
    tokens: 0,
    images: 0,
    sounds: 0,
    cached: false,
    bytes: 0,
    paged: false,
    unmeasured: 0,
    unusual: 0,
    endless: false,
  };
  for (const turn of turns) for (const part of turn.parts) add(media, part);
  return media;
}

function add(media: Media, part: Part): void {
  if ('cacheControl' in part) media.cached = true;
  switch (part.type) {
    case 'image':
      addImage(media);
      if ('data' in part.source) media.bytes += part.source.data.length;
      return;
    case 'audio':
      addSound(media, part.data, part.format);
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
    addPages(media, tokensByReference);
    return;
  }
  const { mediaType, data } = source;
  media.bytes += data.length;
  if (mediaType.startsWith('image/')) addImage(media);
  else if (mediaType.startsWith('audio/')) addSound(media, data, mediaType.slice(6));
  else {
    const tokens = Math.ceil(decoded(data) / bytesPerToken);
    if (mediaType.startsWith('text/')) media.tokens += tokens;
    else addPages(media, Math.min(mostPerFile, Math.max(leastPerFile, tokens)));
  }
}

function addPages(media: Media, estimate: number): void {
  media.paged = true;
  media.tokens += estimate;
  media.unmeasured += mostPerFile - estimate;
}

function addImage(media: Media): void {
  media.images += 1;
  media.tokens += tokensPerImage;
  media.unusual += mostPerImage;
}

function addSound(media: Media, data: string, format: string): void {
  const bytes = decoded(data);
  media.sounds += 1;
  media.tokens += Math.ceil(bytes / (soundBytesPerToken.get(format) ?? tightSoundBytesPerToken));
  media.unusual += Math.ceil(bytes / leastSoundBytesPerToken);
}

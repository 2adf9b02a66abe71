import { table } from '../../../lib/table.ts';
import type { Json, Part } from '../conversation.ts';

const audioTypes = table<string>({
  mp3: 'audio/mp3',
  wav: 'audio/wav',
  flac: 'audio/flac',
  opus: 'audio/ogg',
});

const imageTypes = table<string>({
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  heic: 'image/heic',
  pdf: 'application/pdf',
});

/** Images, files and audio as parts; null for anything else. */
export function writeMedia(part: Part): Json[] | null {
  switch (part.type) {
    case 'image':
      return fromSource(part.source, 'image/jpeg');
    case 'file':
      return 'text' in part.source ? [{ text: part.source.text }] : fromSource(part.source, 'application/pdf');
    case 'audio':
      return [{ inlineData: { mimeType: audioTypes[part.format] ?? `audio/${part.format}`, data: part.data } }];
    default:
      return null;
  }
}

type Source = Extract<Part, { type: 'image' }>['source'];

/** URLs become `fileData`, which the vendor fetches itself. */
function fromSource(source: Source, fallbackType: string): Json[] {
  if ('data' in source) return [{ inlineData: { mimeType: source.mediaType, data: source.data } }];
  if ('fileId' in source) return [{ fileData: { fileUri: source.fileId } }];
  const extension = /\.(\w+)(?:[?#]|$)/.exec(source.url)?.[1]?.toLowerCase() ?? '';
  return [{ fileData: { mimeType: imageTypes[extension] ?? fallbackType, fileUri: source.url } }];
}

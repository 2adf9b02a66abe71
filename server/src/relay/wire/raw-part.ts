import type { RawPart } from './conversation.ts';

/** Audio, images and videos that only their own vendor supports: their bytes are not text. */
export const isRawMedia = ({ format, value }: RawPart): boolean =>
  format === 'gemini'
    ? value.inlineData != null || value.fileData != null
    : typeof value.type === 'string' && /video|audio|image|document_url|container/.test(value.type);

/** Reasoning kept for its vendor as it came. */
export const isReasoningDetail = ({ format, value }: RawPart): boolean =>
  format === 'chat' && typeof value.type === 'string' && value.type.startsWith('reasoning.');

import type { RawPart } from './conversation.ts';

/** Sound, pictures and films of formats that only their own vendor knows: their bytes are no text. */
export const isRawMedia = ({ format, value }: RawPart): boolean =>
  format === 'gemini'
    ? value.inlineData != null || value.fileData != null
    : typeof value.type === 'string' && /video|audio|image|document_url|container/.test(value.type);

/** A thought that is kept for its vendor as it came. */
export const isReasoningDetail = ({ format, value }: RawPart): boolean =>
  format === 'chat' && typeof value.type === 'string' && value.type.startsWith('reasoning.');

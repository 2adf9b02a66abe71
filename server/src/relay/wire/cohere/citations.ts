import { type Citation, wordsCited } from '../citations.ts';
import type { Json } from '../conversation.ts';

/** A cited page as a Cohere document. Its text is unknown here, but clients require the member. */
export function writeCitation(cited: Citation, text: string): Json {
  const { url, title, start, end } = cited;
  const source = { type: 'document', id: url, document: { id: url, url, title, text: '' } };
  return {
    start,
    end,
    text: wordsCited(cited, { text, before: 0 })?.words ?? '',
    sources: [source],
    type: 'TEXT_CONTENT',
  };
}

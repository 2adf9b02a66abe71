import { type Citation, wordsCited } from '../citations.ts';
import type { Json } from '../conversation.ts';

/** A page as the document that it would be here. */
export function writeCitation(cited: Citation, text: string): Json {
  const { url, title, start, end } = cited;
  const source = { type: 'document', id: url, document: { id: url, url, title } };
  return {
    start,
    end,
    text: wordsCited(cited, { text, before: 0 })?.words ?? '',
    sources: [source],
    type: 'TEXT_CONTENT',
  };
}

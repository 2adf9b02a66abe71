import type { Citation, Said } from '../citations.ts';
import { isObject, type Json } from '../conversation.ts';

/** In place of the index of a search, which the vendor seals, and takes back from nobody else. */
export const ownIndex = 'svc.';

/** What stands on the page is not known here. */
export const writeCitation = ({ url, title }: Citation): Json => ({
  type: 'web_search_result_location',
  cited_text: '',
  encrypted_index: ownIndex,
  title: title === '' ? null : title,
  url,
});

const hasPlace = ({ start, end }: Citation): boolean => end > start;

/** A text as blocks: one ends where other pages begin, as all words of a block rest on the same. */
export function citedBlocks({ text, before }: Said, cited: readonly Citation[]): Json[] {
  const letters = [...text];
  const within = (place: number) => Math.min(letters.length, Math.max(0, place - before));
  const cuts = new Set([
    0,
    letters.length,
    ...cited.filter(hasPlace).flatMap(({ start, end }) => [within(start), within(end)]),
  ]);
  const places = [...cuts].sort((a, b) => a - b);
  return places.slice(1).map((end, i) => {
    const start = places[i]!;
    const pages = cited.filter((one) => !hasPlace(one) || (within(one.start) <= start && end <= within(one.end)));
    const words = letters.slice(start, end).join('');
    return { type: 'text', text: words, ...(pages.length > 0 && { citations: pages.map(writeCitation) }) };
  });
}

const isOwn = (citation: unknown): boolean => isObject(citation) && citation.encrypted_index === ownIndex;

/** A block as the vendor takes it back: without pages that others named, and not at all where it was there for them alone. */
export function withoutOwnCitations(block: Json): Json[] {
  const { citations, ...rest } = block;
  if (!Array.isArray(citations) || !citations.some(isOwn)) return [block];
  const left = citations.filter((one) => !isOwn(one));
  if (left.length > 0) return [{ ...rest, citations: left }];
  return rest.text === '' ? [] : [rest];
}

import type { Citation, Said } from '../citations.ts';
import { isObject, type Json } from '../conversation.ts';

/** Marks citations of other vendors: Anthropic's own index is encrypted, and it accepts no other. */
export const ownIndex = 'svc.';

/** The page's text is unknown here. */
export const writeCitation = ({ url, title }: Citation): Json => ({
  type: 'web_search_result_location',
  cited_text: '',
  encrypted_index: ownIndex,
  title: title === '' ? null : title,
  url,
});

const hasPlace = ({ start, end }: Citation): boolean => end > start;

/** Splits a text into blocks where citations change, as all text of a block shares its citations. */
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

/** A block as Anthropic accepts it back: without other vendors' citations, or dropped if it existed only for them. */
export function withoutOwnCitations(block: Json): Json[] {
  const { citations, ...rest } = block;
  if (!Array.isArray(citations) || !citations.some(isOwn)) return [block];
  const left = citations.filter((one) => !isOwn(one));
  if (left.length > 0) return [{ ...rest, citations: left }];
  return rest.text === '' ? [] : [rest];
}

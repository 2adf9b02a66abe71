import { type Citation, type Said, wordsCited } from '../citations.ts';
import type { Json } from '../conversation.ts';
import type { SearchPart } from '../search.ts';

/** A text among the parts of an answer. */
export type SaidPart = Said & { partIndex: number };

/** Citations in Google's form, which lists pages apart from the cited passages and counts bytes within a part. */
export function writeGrounding(
  cited: readonly Citation[],
  said: readonly SaidPart[],
  searches: readonly SearchPart[] = [],
): { groundingMetadata?: Json } {
  const webSearchQueries = searches.flatMap(({ queries }) => queries);
  const asked = webSearchQueries.length > 0 && { webSearchQueries };
  if (cited.length === 0) return asked ? { groundingMetadata: asked } : {};
  const pages = new Map(cited.map(({ url, title }) => [url, { web: { uri: url, title } }]));
  const places = [...pages.keys()];
  const groundingSupports = said.flatMap(({ partIndex, ...part }) =>
    cited.flatMap((one) => {
      const found = wordsCited(one, part);
      if (!found) return [];
      const startIndex = Buffer.byteLength([...part.text].slice(0, found.from).join(''));
      const segment = { startIndex, endIndex: startIndex + Buffer.byteLength(found.words), text: found.words };
      return [
        {
          segment: partIndex === 0 ? segment : { partIndex, ...segment },
          groundingChunkIndices: [places.indexOf(one.url)],
        },
      ];
    }),
  );
  return { groundingMetadata: { ...asked, groundingChunks: [...pages.values()], groundingSupports } };
}

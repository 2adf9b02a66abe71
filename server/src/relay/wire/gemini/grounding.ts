import { type Citation, type Said, wordsCited } from '../citations.ts';
import type { Json } from '../conversation.ts';

/** A text among the parts of an answer. */
export type SaidPart = Said & { partIndex: number };

/** The pages of an answer in Google's words, which names them apart from the places that rest on them and counts bytes of a part. */
export function writeGrounding(cited: readonly Citation[], said: readonly SaidPart[]): { groundingMetadata?: Json } {
  if (cited.length === 0) return {};
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
  return { groundingMetadata: { groundingChunks: [...pages.values()], groundingSupports } };
}

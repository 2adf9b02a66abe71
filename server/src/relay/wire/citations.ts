import { isObject, objectsIn } from '../../lib/is-object.ts';

type Json = Record<string, unknown>;

/** A page cited by an answer. Positions count characters of the whole answer. */
export interface Citation {
  type: 'citation';
  url: string;
  title: string;
  start: number;
  end: number;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const placeOf = (value: unknown): number =>
  Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : 0;

/** Characters of a stream kept to locate citations; an answer has a few thousand. */
export const mostLetters = 1024 * 1024;

/** Counted in code points, as vendors do: an emoji is one, where JavaScript has two. */
export function lettersIn(text: string): number {
  let letters = text.length;
  for (let i = 0; i < text.length; i += 1) if ((text.charCodeAt(i) & 0xfc00) === 0xdc00) letters -= 1;
  return letters;
}

/** Annotations of a chat message or a response part; files of a vendor are not pages. */
export const readAnnotations = (value: unknown): Citation[] =>
  objectsIn(value).flatMap((annotation) => {
    const { url, title, start_index, end_index } = isObject(annotation.url_citation)
      ? annotation.url_citation
      : annotation;
    if (textOf(url) === '') return [];
    return [citation(url, title, placeOf(start_index), placeOf(end_index))];
  });

const citation = (url: unknown, title: unknown, start: number, end: number): Citation => ({
  type: 'citation',
  url: textOf(url),
  title: textOf(title),
  start,
  end,
});

/** All citations of an answer; a vendor may attach them to any part. */
export const citationsIn = (parts: readonly { type: string; cited?: Citation[] }[]): Citation[] =>
  parts.flatMap(({ cited }) => cited ?? []);

/** A text of an answer, and how many characters precede it. */
export interface Said {
  text: string;
  before: number;
}

/** The part of a citation's range inside this text; null if there is none, or its position is unknown. */
export function wordsCited({ start, end }: Citation, { text, before }: Said): { from: number; words: string } | null {
  const letters = [...text];
  const [from, to] = [Math.max(0, start - before), Math.min(letters.length, end - before)];
  return from < to ? { from, words: letters.slice(from, to).join('') } : null;
}

export const movedBy = ({ start, end, ...rest }: Citation, letters: number): Citation => ({
  ...rest,
  start: start + letters,
  end: end + letters,
});

export const responsesAnnotation = ({ url, title, start, end }: Citation, before: number): Json => ({
  type: 'url_citation',
  start_index: Math.max(0, start - before),
  end_index: Math.max(0, end - before),
  url,
  title,
});

export function chatAnnotation(cited: Citation): Json {
  const { type, ...url_citation } = responsesAnnotation(cited, 0);
  return { type, url_citation };
}

/** Citations of an Anthropic block apply to its whole text; only web results have a URL. */
export const readBlockCitations = (value: unknown, start: number, end: number): Citation[] =>
  objectsIn(value).flatMap(({ url, source, title }) => {
    const page = textOf(url) || textOf(source);
    return isPage(page) ? [citation(page, title, start, end)] : [];
  });

/** Perplexity lists pages beside the answer; formerly just their URLs. */
export function readSearch({ search_results: results, citations: addresses }: Json, letters: number): Citation[] {
  return results == null && addresses == null ? [] : pagesIn(results, addresses, letters);
}

function pagesIn(results: unknown, addresses: unknown, letters: number): Citation[] {
  const found = objectsIn(results).filter(({ url }) => isPage(url));
  if (found.length > 0) return found.map(({ url, title }) => citation(url, title, 0, letters));
  return (Array.isArray(addresses) ? addresses : []).filter(isPage).map((url) => citation(url, '', 0, letters));
}

const isPage = (address: unknown): boolean => /^https?:/.test(textOf(address));

/** What Google's answer cites from sources, with its licence. */
export function readSources(metadata: unknown, said: string): Citation[] {
  if (!isObject(metadata)) return [];
  const sources = objectsIn(metadata.citations ?? metadata.citationSources).filter(({ uri }) => isPage(uri));
  const bytes = Buffer.from(said);
  return sources.map(({ uri, title, ...place }) => citation(uri, title, ...placesOf(place, said, bytes)));
}

/** A web page, map place, image or document of a search, if it has a public URL. */
function pageOf(chunk: unknown): Json | undefined {
  const { web, maps, retrievedContext, image } = isObject(chunk) ? chunk : {};
  const found = [web, maps, retrievedContext, image].find(isObject) ?? {};
  const uri = found.uri ?? found.sourceUri;
  return isPage(uri) ? { uri, title: found.title } : undefined;
}

/** Google lists pages apart from the cited passages, whose positions count bytes. */
export function readGrounding(metadata: unknown, said: string): Citation[] {
  if (!isObject(metadata)) return [];
  const pages = (Array.isArray(metadata.groundingChunks) ? metadata.groundingChunks : []).map(pageOf);
  const supports = objectsIn(metadata.groundingSupports);
  if (supports.length === 0) {
    const end = lettersIn(said);
    return pages.flatMap((page) => (page ? [citation(page.uri, page.title, 0, end)] : []));
  }
  const bytes = Buffer.from(said);
  return supports.flatMap(({ segment, groundingChunkIndices: indices }) => {
    const [start, end] = placesOf(isObject(segment) ? segment : {}, said, bytes);
    return (Array.isArray(indices) ? indices : []).flatMap((index) => {
      const page = pages[index as number];
      return page ? [citation(page.uri, page.title, start, end)] : [];
    });
  });
}

/**
 * Positions count bytes within a part, and how a stream was split is unknown later: the passage's text is searched
 * instead.
 */
function placesOf({ startIndex, endIndex, text }: Json, said: string, bytes: Buffer): [number, number] {
  const lettersUpTo = (byte: number): number => lettersIn(bytes.toString('utf8', 0, byte));
  const words = textOf(text);
  const [from, to] = [placeOf(startIndex), placeOf(endIndex)];
  if (words === '' || bytes.toString('utf8', from, to) === words) return [lettersUpTo(from), lettersUpTo(to)];
  const at = Math.max(0, said.indexOf(words));
  const start = lettersIn(said.slice(0, at));
  return [start, start + lettersIn(words)];
}

import { FileFault } from './faults.ts';
import type { PassageLimits } from './limits.ts';
import type { Section } from './sections.ts';

/** The fields of a text item that show where lines and paragraphs end. */
interface Piece {
  str: string;
  transform: number[];
  height: number;
  hasEOL: boolean;
}

/** Line distance, relative to the letter height, above which a new paragraph starts. */
const paragraphGap = 1.9;
/** Maximum text items per page: a page with more is a drawing made of letters, or crafted to take forever. */
const mostPieces = 200_000;

/** The text of a PDF, page by page. The library is loaded on first use, because most threads read plain text. */
export async function* pdfSections(bytes: Uint8Array, limits: PassageLimits): AsyncGenerator<Section> {
  const { getDocumentProxy } = await import('unpdf');
  // Uploaded files are untrusted: nothing is fetched, executed or drawn.
  const options = {
    verbosity: 0,
    isEvalSupported: false,
    useSystemFonts: false,
    enableXfa: false,
    stopAtErrors: false,
  };
  const document = await getDocumentProxy(bytes, options).catch((error) => {
    throw faultOf(error);
  });
  if (document.numPages > limits.pages) throw new FileFault('too_many_pages');
  let characters = 0;
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number);
    const pieces: Piece[] = [];
    const reader = page.streamTextContent().getReader() as ReadableStreamDefaultReader<{ items: Piece[] }>;
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      for (const piece of read.value.items) {
        if (typeof piece.str !== 'string') continue;
        pieces.push(piece);
        characters += piece.str.length;
      }
      if (pieces.length > mostPieces || characters > limits.characters) throw new FileFault('too_much');
    }
    page.cleanup();
    yield { headings: [], page: number, paragraphs: paragraphsOf(pieces) };
  }
  if (characters === 0) throw new FileFault('no_text');
}

function faultOf(error: unknown): unknown {
  const name = (error as { name?: string } | null)?.name;
  if (name === 'PasswordException') return new FileFault('encrypted');
  return name === 'InvalidPDFException' || name === 'FormatError' ? new FileFault('damaged') : error;
}

/** Joins lines into paragraphs unless the gap between them is large, and rejoins words hyphenated at a line's end. */
function paragraphsOf(pieces: Piece[]): string[] {
  const paragraphs: string[] = [];
  let words: string[] = [];
  let last: Piece | null = null;
  const end = () => {
    const paragraph = joinLines(words);
    if (paragraph !== '') paragraphs.push(paragraph);
    words = [];
  };
  for (const piece of pieces) {
    if (last && piece.str.trim() !== '') {
      const down = Math.abs((piece.transform[5] ?? 0) - (last.transform[5] ?? 0));
      if (down > paragraphGap * Math.max(piece.height, last.height, 1)) end();
    }
    words.push(piece.str, piece.hasEOL ? '\n' : '');
    if (piece.str.trim() !== '') last = piece;
  }
  end();
  return paragraphs;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
const controls = /[\x00-\x08\x0b-\x1f\x7f]/g;

const joinLines = (words: string[]): string =>
  words
    .join('')
    .replace(controls, '')
    .replace(/(\p{Ll})-\n(?=\p{Ll})/gu, '$1')
    .replaceAll('\n', ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
    .toWellFormed();

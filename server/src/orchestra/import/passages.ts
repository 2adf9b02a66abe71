import { FileFault } from './faults.ts';
import type { Section } from './sections.ts';

/** A piece of a file, as long as a model reads it with attention and a search can tell what it is about. */
export interface Passage {
  content: string;
  page: number | null;
  /** The path of headings it stands under. */
  heading: string | null;
}

/** Characters of a passage. */
const target = 1_500;
/** Said again at the beginning of a piece whose paragraph had to be cut, so that a sentence across the cut is found. */
const overlap = 150;
const longestPath = 200;

export function* passagesOf(sections: Iterable<Section>, most: number): Generator<Passage> {
  let made = 0;
  for (const { headings, page, paragraphs } of sections) {
    const heading = headings.length > 0 ? pathOf(headings) : null;
    for (const content of pack(paragraphs.length > 0 ? paragraphs : headings.slice(-1))) {
      made += 1;
      if (made > most) throw new FileFault('too_many_passages');
      yield { content, page, heading };
    }
  }
}

/** Of a path that is too long the end tells most. */
function pathOf(headings: string[]): string {
  const path = headings.join(' › ');
  return path.length <= longestPath ? path : `…${path.slice(1 - longestPath).toWellFormed()}`;
}

/** Paragraphs, as many together as make one passage. */
function* pack(paragraphs: string[]): Generator<string> {
  let held = '';
  for (const paragraph of paragraphs) {
    if (held !== '' && held.length + 2 + paragraph.length <= target) {
      held = `${held}\n\n${paragraph}`;
      continue;
    }
    if (held !== '') yield held;
    held = '';
    for (const piece of cutLong(paragraph)) {
      if (held !== '') yield held;
      held = piece;
    }
  }
  if (held !== '') yield held;
}

/** A paragraph in pieces, cut after sentences where there are any, else between words. */
function* cutLong(text: string): Generator<string> {
  let from = 0;
  while (text.length - from > target) {
    const end = endWithin(text, from);
    const piece = text.slice(from, end).trim();
    if (piece !== '') yield piece;
    from = againFrom(text, end);
  }
  const rest = text.slice(from).trim();
  if (rest !== '') yield rest;
}

const blank = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code === 32 || code === 10 || code === 9 || code === 0xa0 || code === 0x3000;
};
const insidePair = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00;
const closers = new Set('"\'”’»)]');

/** Whether a sentence ends before this place. */
function sentenceEnds(text: string, at: number): boolean {
  let last = at - 1;
  if ('。！？'.includes(text[last]!)) return true;
  if (!blank(text, at)) return false;
  while (last > 0 && closers.has(text[last]!)) last -= 1;
  return '.!?…。！？'.includes(text[last]!);
}

/** Where a piece that begins at `from` ends: in its second half, or it would be too short to tell anything. */
function endWithin(text: string, from: number): number {
  let word = 0;
  for (let at = from + target; at > from + target / 2; at -= 1) {
    if (sentenceEnds(text, at)) return at;
    if (word === 0 && blank(text, at)) word = at;
  }
  if (word > 0) return word;
  const hard = from + target;
  return insidePair(text, hard) ? hard - 1 : hard;
}

/** Where the next piece begins: at a sentence a little before the cut, else at a word. */
function againFrom(text: string, end: number): number {
  let word = 0;
  for (let at = end - overlap; at < end - 1; at += 1) {
    if (sentenceEnds(text, at)) return at;
    if (word === 0 && blank(text, at)) word = at;
  }
  const start = word > 0 ? word : end - overlap;
  return insidePair(text, start) ? start + 1 : start;
}

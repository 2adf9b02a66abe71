import { FileFault } from './faults.ts';
import type { Section } from './sections.ts';

/** A part of a file, short enough for a model to read with attention and for a search to tell what it is about. */
export interface Passage {
  content: string;
  page: number | null;
  /** The path of headings above it. */
  heading: string | null;
}

/** Maximum characters of a passage. */
const target = 1_500;
/** Characters repeated after a split within a paragraph, so that a sentence across the split is found. */
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

/** If the path is too long, its end is kept, which says the most. */
function pathOf(headings: string[]): string {
  const path = headings.join(' › ');
  return path.length <= longestPath ? path : `…${path.slice(1 - longestPath).toWellFormed()}`;
}

/** Joins paragraphs into passages of up to `target` characters. */
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

/** Splits a long paragraph after sentences if possible, otherwise between words. */
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

/** After those of Europe and East Asia: Arabic, Urdu, Hindi and its relatives, Armenian, Burmese, Khmer, Tibetan, Ethiopic. */
const fullStops = '.!?…。！？\u061f\u06d4\u0964\u0965\u0589\u104b\u17d4\u17d5\u0f0d\u1362';

/** Whether a sentence ends just before this index. */
function sentenceEnds(text: string, at: number): boolean {
  let last = at - 1;
  if ('。！？'.includes(text[last]!)) return true;
  if (!blank(text, at)) return false;
  while (last > 0 && closers.has(text[last]!)) last -= 1;
  return fullStops.includes(text[last]!);
}

/** Where a piece that starts at `from` ends: always in its second half, because shorter pieces say too little. */
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

/** Where the next piece starts: at a sentence shortly before the split, otherwise at a word. */
function againFrom(text: string, end: number): number {
  let word = 0;
  for (let at = end - overlap; at < end - 1; at += 1) {
    if (sentenceEnds(text, at)) return at;
    if (word === 0 && blank(text, at)) word = at;
  }
  const start = word > 0 ? word : end - overlap;
  return insidePair(text, start) ? start + 1 : start;
}

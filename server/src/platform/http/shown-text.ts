import { z } from 'zod';

/**
 * Text that people read to know what they deal with: names of applications, users, keys, channels. What cannot be seen, or
 * changes how the rest is seen, could make one look like another; so it is refused, and the rest has one form only.
 */

/** Letters and symbols that show as nothing: fillers of Hangul, Khmer vowels, the empty Braille cell, a joiner of marks. */
const blanks = '\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0';
/** Control characters, format characters (zero width, writing direction, tags), separators of lines, lone surrogates, private. */
const hiddenSource = `[\\p{C}\\p{Zl}\\p{Zp}${blanks}\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}\\u180b-\\u180f]`;
const hidden = new RegExp(hiddenSource, 'u');
const allHidden = new RegExp(hiddenSource, 'gu');

/** Scripts whose letters change their form by a joiner or non-joiner between them: there it is spelling. */
const joining = ['Arabic', 'Bengali', 'Devanagari', 'Gujarati', 'Gurmukhi', 'Kannada', 'Malayalam', 'Oriya', 'Sinhala']
  .concat(['Syriac', 'Tamil', 'Telugu'])
  .map((script) => `\\p{Script=${script}}`)
  .join('');
/** Where what cannot be seen is part of what can: emoji of several parts, flags of regions aside, and joined letters. */
const meant = new RegExp(
  [
    '(?<=\\p{Extended_Pictographic})\\ufe0f',
    '(?<=[#*0-9])\\ufe0f(?=\\u20e3)',
    '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})',
    `(?<=[${joining}])[\\u200c\\u200d](?=[${joining}])`,
  ].join('|'),
  'gu',
);

/** One form for what looks the same: composed letters, one kind of space and one at a time, none at the ends. */
export const inOneLine = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/\p{Zs}+/gu, ' ')
    .trim();
const inLines = (text: string): string => text.normalize('NFC').replace(/\r\n?/g, '\n').trim();

export const holdsHidden = (text: string): boolean => hidden.test(text.replace(meant, ''));

/** Text of any origin without what cannot be seen, for names that nobody typed as such. */
export function visible(text: string): string {
  const kept = new Set([...text.matchAll(meant)].map(({ index }) => index));
  return text.replace(allHidden, (character, index: number) => (kept.has(index) ? character : ''));
}

/** Counted in characters as people count them, so an emoji of one code point is one. */
const fits = (least: number, most: number) => (text: string) => {
  const length = [...text].length;
  return length >= least && length <= most;
};
const sizeWords = (least: number, most: number): string =>
  least > 1 ? `must have ${least} to ${most} characters` : `must have at most ${most} characters`;

/** Before anything is looked at closely: putting together letters and marks may shorten a text, but not by so much. */
const mostTimes = 8;
const bounded = (least: number, most: number) =>
  z.string().refine((text) => text.length <= most * mostTimes, { error: sizeWords(least, most), abort: true });

/** A name: one line, not empty, nothing hidden. */
export const shownName = (most: number) =>
  bounded(1, most)
    .overwrite(inOneLine)
    .refine((text) => text !== '', 'must not be empty')
    .refine((text) => !holdsHidden(text), 'must not hold control characters or others that cannot be seen')
    .refine((text) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(text), 'must hold something that can be seen')
    .refine(fits(1, most), sizeWords(1, most));

/** A description: several lines, or none; nothing hidden but their ends. */
export const shownText = (most: number) =>
  bounded(0, most)
    .overwrite(inLines)
    .refine(
      (text) => !holdsHidden(text.replace(/[\n\t]/g, ' ')),
      'must not hold control characters or others that cannot be seen',
    )
    .refine(fits(0, most), sizeWords(0, most));

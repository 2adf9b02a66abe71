import { z } from 'zod';

/**
 * Text by which people recognise things: names of applications, users, keys, channels. Characters that are invisible,
 * or change how others are displayed, could make one name look like another, so they are refused, and the rest is
 * normalised.
 */

/**
 * Visible categories that render as nothing: Hangul fillers, Khmer vowels, the blank Braille cell, the grapheme joiner.
 */
const blanks = '\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0';
/**
 * Control characters, format characters (zero width, direction, tags), line separators, lone surrogates, private use.
 */
const hiddenSource = `[\\p{C}\\p{Zl}\\p{Zp}${blanks}\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}\\u180b-\\u180f]`;
const hidden = new RegExp(hiddenSource, 'u');
const allHidden = new RegExp(hiddenSource, 'gu');

/** Scripts in which joiners and non-joiners are part of the spelling. */
const joining = ['Arabic', 'Bengali', 'Devanagari', 'Gujarati', 'Gurmukhi', 'Kannada', 'Malayalam', 'Oriya', 'Sinhala']
  .concat(['Syriac', 'Tamil', 'Telugu'])
  .map((script) => `\\p{Script=${script}}`)
  .join('');
/** Invisible characters that belong to visible ones: multi-part emoji (regional flags aside) and joined letters. */
const meant = new RegExp(
  [
    '(?<=\\p{Extended_Pictographic})\\ufe0f',
    '(?<=[#*0-9])\\ufe0f(?=\\u20e3)',
    '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})',
    `(?<=[${joining}])[\\u200c\\u200d](?=[${joining}])`,
  ].join('|'),
  'gu',
);

/** One form for what looks the same: composed letters, single plain spaces. */
export const inOneForm = (text: string): string => text.normalize('NFC').replace(/\p{Zs}+/gu, ' ');
/** The same without spaces at the ends. */
export const inOneLine = (text: string): string => inOneForm(text).trim();
const inLines = (text: string): string => text.normalize('NFC').replace(/\r\n?/g, '\n').trim();

export const holdsHidden = (text: string): boolean => hidden.test(text.replace(meant, ''));

/** Any text without invisible characters, for names that come from elsewhere. */
export function visible(text: string): string {
  const kept = new Set([...text.matchAll(meant)].map(({ index }) => index));
  return text.replace(allHidden, (character, index: number) => (kept.has(index) ? character : ''));
}

/** Counted in code points, so a simple emoji counts as one. */
const fits = (least: number, most: number) => (text: string) => {
  const length = [...text].length;
  return length >= least && length <= most;
};
const sizeWords = (least: number, most: number): string =>
  least > 1 ? `must have ${least} to ${most} characters` : `must have at most ${most} characters`;

/** Checked first: normalisation can shorten a text, but not by more than this factor. */
const mostTimes = 8;
const bounded = (least: number, most: number) =>
  z.string().refine((text) => text.length <= most * mostTimes, { error: sizeWords(least, most), abort: true });

/** A name: one line, not empty, no hidden characters. */
export const shownName = (most: number) =>
  bounded(1, most)
    .overwrite(inOneLine)
    .refine((text) => text !== '', 'must not be empty')
    .refine((text) => !holdsHidden(text), 'must not contain control or other invisible characters')
    .refine((text) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(text), 'must contain a visible character')
    .refine(fits(1, most), sizeWords(1, most));

/** A description: any number of lines, no hidden characters except line breaks. */
export const shownText = (most: number) =>
  bounded(0, most)
    .overwrite(inLines)
    .refine(
      (text) => !holdsHidden(text.replace(/[\n\t]/g, ' ')),
      'must not contain control or other invisible characters',
    )
    .refine(fits(0, most), sizeWords(0, most));

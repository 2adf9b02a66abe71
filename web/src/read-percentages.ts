import { t } from './language/words.ts';
import { readNumber } from './read-number.ts';

/** Characters that separate the numbers of a list, and a comma or its Chinese counterparts where one ends. */
const between = /[\s;%、]+|,(?=\s|%|$)/;

/** One entry may be a list without spaces: `50,80,100`. */
function partsOf(entry: string): string[] | null {
  if (!entry.includes(',')) return [entry];
  const parts = entry.split(',').filter((part) => part !== '');
  const number = readNumber(entry, false);
  if (number === null || Number(number) > 100 || parts.length === 1) return parts;
  // 12,5 is one number to some and two to others. Fractions below 1 and list entries with a leading zero are not.
  return /^0\d*,/.test(entry) ? [entry] : null;
}

/**
 * Reads percentages such as `50, 80, 100` or `12.5`; null if one is no percentage from 0.1 to 100, or if `12,5` leaves
 * open how many they are.
 */
export function readPercentages(text: string): number[] | null {
  const percentages: number[] = [];
  for (const entry of text.normalize('NFKC').split(between)) {
    if (entry === '') continue;
    for (const part of partsOf(entry) ?? ['']) {
      const number = readNumber(part, false);
      const percentage = Number(number);
      if (number === null || !(percentage >= 0.1 && percentage <= 100)) return null;
      percentages.push(percentage);
    }
  }
  return [...new Set(percentages)].sort((a, b) => a - b);
}

/** Whether `12,5` may be meant as one number or as two. */
export const isAmbiguous = (text: string): boolean =>
  text
    .normalize('NFKC')
    .split(between)
    .some((entry) => partsOf(entry) === null);

export const ambiguousWords = (): string => t('12,5 may be one number or two. Write 12.5, or 12, 5 with a space.');

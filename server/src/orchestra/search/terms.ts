/** Stop words, which are not indexed. */
const stopWords = new Set(
  `a about after also an and any are as at be been but by can could did do does for from get gets getting got had has
  have he her his how i if in into is it its just kind kinds many me most much my no not of on one or other our please
  she so some than that the their them then there these they this to too up us was we were what when where which who
  why will with would you your`.split(/\s+/),
);

/**
 * Letters of scripts with and without spaces are words of their own: `使用Docker部署` is found by `docker`, as is
 * `Docker를`.
 */
const words =
  /[[\p{L}\p{N}]&&[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]]+|[\p{L}&&\p{scx=Hang}]+|[[\p{L}\p{N}]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Hang}]]+(?:['’][\p{L}--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Hang}]]+)*/gv;
const anyUnspaced = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/v;
const unspaced = /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/v;
/** Korean has spaces, but writes endings onto its words: `항구에는` is found by `항구`. */
const koreanWords = /[\p{L}&&\p{scx=Hang}]+/gv;
const korean = /^\p{scx=Hang}/v;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is all of ASCII
const ascii = /^[\x00-\x7f]*$/;
const plainWords = /[a-z0-9]+(?:'[a-z]+)*/g;

/**
 * Only the beginning of longer texts is indexed: all of it would take seconds and blur the topic. More than an entry with
 * its title and keywords.
 */
const longestText = 24_000;
/** Longer words are cut: they are not searched for, and are mostly base64. */
const longestWord = 64;

/** Decides whether a letter of a script without spaces is a term beside the bigrams. */
type IsTerm = (letter: string) => boolean;

/**
 * The terms of a text: lower case, without accents, lightly stemmed; character bigrams in scripts without spaces, and
 * beside the words in Korean.
 */
export function terms(text: string, alone: IsTerm = () => false): string[] {
  const found: string[] = [];
  const lower = text.slice(0, longestText).toLowerCase();
  // Fast path: recall reads hundreds of texts, and most have no accents.
  if (ascii.test(lower)) {
    for (const [word] of lower.matchAll(plainWords)) {
      if (!stopWords.has(word)) found.push(stem(beforeMark(word, /'/)));
    }
    return found;
  }
  for (const [word] of withoutMarks(lower).matchAll(words)) {
    if (unspaced.test(word)) for (const pair of pairs(word, alone)) found.push(pair);
    else if (korean.test(word)) found.push(...koreanTerms(word, alone));
    else if (!stopWords.has(word)) found.push(stem(beforeMark(word, /['’]/)));
  }
  return found;
}

/** The whole word too: it counts more than its parts, and documents of an earlier rule have nothing else. */
function koreanTerms(word: string, alone: IsTerm): string[] {
  const parts = pairs(word, alone);
  return [...word].length > 2 ? [word.slice(0, longestWord), ...parts] : parts;
}

/** The terms under which a text is found: each letter too, because one may be a word (`茶`), and all of a query. */
export function indexTerms(text: string): string[] {
  const seen = new Set<string>();
  return terms(text, (letter) => !seen.has(letter) && seen.add(letter).has(letter));
}

/** Whether a text contains letters of a script that is written without spaces. */
export const isUnspaced = (text: string): boolean => anyUnspaced.test(text);

/** Whether a query's term is a single letter of a script that is indexed by pairs. */
export const isLetter = (term: string): boolean => (unspaced.test(term) || korean.test(term)) && [...term].length === 1;

const fewest = 3;
const longestShort = 200;

/** False for "ok", "thanks" and the like, which nobody searches for; "I am vegan" has one term, but is a statement. */
export function isStatement(text: string): boolean {
  const found = saidIn(text);
  if (found === 0 || found >= fewest) return found > 0;
  const short = withoutMarks(text.slice(0, longestShort).toLowerCase());
  const said = [...short.matchAll(words)].map(([word]) => (unspaced.test(word) ? [...word].length : 1));
  return said.reduce((sum, one) => sum + one, 0) >= fewest;
}

/** How many words a text says. One in Korean says as much as two: it has endings where others have words. */
export const saidIn = (text: string): number =>
  terms(text).filter((term) => !korean.test(term)).length +
  2 * (text.slice(0, longestText).match(koreanWords) ?? []).length;

/**
 * Marks are removed before normalizing, too: it sorts the marks of one letter in quadratic time, and there may be
 * thousands.
 */
const withoutMarks = (lower: string): string =>
  lower
    .replace(/\p{M}+/gu, '')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .normalize('NFKC');

/** `it's` becomes `it`. */
function beforeMark(word: string, mark: RegExp): string {
  const at = word.search(mark);
  return at < 0 ? word : word.slice(0, at);
}

function pairs(word: string, alone: IsTerm): string[] {
  const letters = [...word];
  if (letters.length === 1) return letters;
  return [...letters.slice(1).map((letter, i) => letters[i]! + letter), ...letters.filter(alone)];
}

/** Strips the most common English endings. Deliberately light: vectors match the forms that it misses. */
export function stem(word: string): string {
  if (word.length > longestWord) return word.slice(0, longestWord).toWellFormed();
  if (word.length <= 3 || /\p{N}/u.test(word)) return word;
  let base = word;
  if (base.endsWith('ies') && base.length > 4) base = `${base.slice(0, -3)}y`;
  else if (/(?:ss|sh|ch|x|z)es$/.test(base)) base = base.slice(0, -2);
  else if (/[^su]s$/.test(base)) base = base.slice(0, -1);
  if (base.endsWith('ing') && hasVowel(base, 3) && base.length > 5) base = undouble(base.slice(0, -3));
  else if (base.endsWith('ed') && hasVowel(base, 2) && base.length > 4 && !base.endsWith('eed'))
    base = undouble(base.slice(0, -2));
  else if (base.endsWith('ly') && base.length > 5) base = base.slice(0, -2);
  // So that `cache`, `cached` and `caching`, or `city` and `cities`, have the same stem.
  if (base.length > 3 && base.endsWith('e')) base = base.slice(0, -1);
  return base.length > 3 && base.endsWith('y') ? `${base.slice(0, -1)}i` : base;
}

const hasVowel = (word: string, ending: number): boolean => /[aeiouy]/.test(word.slice(0, -ending));

const undouble = (word: string): string => (/([^aeiouylsz])\1$/.test(word) ? word.slice(0, -1) : word);

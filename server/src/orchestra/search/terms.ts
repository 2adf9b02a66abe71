/** Stop words, which are not indexed. */
const stopWords = new Set(
  `a about after also an and any are as at be been but by can could did do does for from get gets getting got had has
  have he her his how i if in into is it its just kind kinds many me most much my no not of on one or other our please
  she so some than that the their them then there these they this to too up us was we were what when where which who
  why will with would you your`.split(/\s+/),
);

const words = /[\p{L}\p{N}]+(?:['’][\p{L}]+)*/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is all of ASCII
const ascii = /^[\x00-\x7f]*$/;
const plainWords = /[a-z0-9]+(?:'[a-z]+)*/g;
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Only the beginning of longer texts is indexed: all of it would take seconds and blur the topic. */
const longestText = 20_000;
/** Longer words are cut: they are not searched for, and are mostly base64. */
const longestWord = 64;

/**
 * The index terms of a text: lower case, without accents, lightly stemmed; character bigrams in scripts without spaces.
 */
export function terms(text: string): string[] {
  const found: string[] = [];
  const lower = text.slice(0, longestText).toLowerCase();
  // Fast path: recall reads hundreds of texts, and most have no accents.
  if (ascii.test(lower)) {
    for (const [word] of lower.matchAll(plainWords)) {
      if (!stopWords.has(word)) found.push(stem(beforeMark(word, /'/)));
    }
    return found;
  }
  // Also remove marks before normalizing: it sorts the marks of one letter in quadratic time, and there may be
  // thousands.
  const plain = lower
    .replace(/\p{M}+/gu, '')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .normalize('NFKC');
  for (const [word] of plain.matchAll(words)) {
    if (unspaced.test(word)) for (const pair of pairs(word)) found.push(pair);
    else if (!stopWords.has(word)) found.push(stem(beforeMark(word, /['’]/)));
  }
  return found;
}

/** `it's` becomes `it`. */
function beforeMark(word: string, mark: RegExp): string {
  const at = word.search(mark);
  return at < 0 ? word : word.slice(0, at);
}

function pairs(word: string): string[] {
  const letters = [...word];
  if (letters.length === 1) return letters;
  return letters.slice(1).map((letter, i) => letters[i]! + letter);
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

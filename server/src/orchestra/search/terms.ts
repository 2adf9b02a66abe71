/** Words that carry no meaning of their own; a query of nothing else keeps them. */
const stopWords = new Set(
  `a an and are as at be been but by can could did do does for from had has have he her his how i if in into is it its
  me my no not of on or our please she so some that the their them then there these they this to up us was we were what
  when where which who why will with would you your`.split(/\s+/),
);

const words = /[\p{L}\p{N}]+(?:['’][\p{L}]+)*/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is all of ASCII
const ascii = /^[\x00-\x7f]*$/;
const plainWords = /[a-z0-9]+(?:'[a-z]+)*/g;
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** The index terms of a text: lower case, without accents, lightly stemmed; pairs of letters in scripts without spaces. */
export function terms(text: string): string[] {
  const found: string[] = [];
  const lower = text.toLowerCase();
  // Recall reads hundreds of texts, and most have no accents to fold.
  if (ascii.test(lower)) {
    for (const [word] of lower.matchAll(plainWords)) {
      if (!stopWords.has(word)) found.push(stem(word.replace(/'.*$/, '')));
    }
    return found;
  }
  const plain = lower
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .normalize('NFKC');
  for (const [word] of plain.matchAll(words)) {
    if (unspaced.test(word)) found.push(...pairs(word));
    else if (!stopWords.has(word)) found.push(stem(word.replace(/['’].*$/u, '')));
  }
  return found;
}

function pairs(word: string): string[] {
  const letters = [...word];
  if (letters.length === 1) return letters;
  return letters.slice(1).map((letter, i) => letters[i]! + letter);
}

/** Folds the commonest English endings. Light on purpose: what it leaves apart the vectors bring together. */
export function stem(word: string): string {
  if (word.length <= 3 || /\p{N}/u.test(word)) return word;
  let base = word;
  if (base.endsWith('ies') && base.length > 4) base = `${base.slice(0, -3)}y`;
  else if (/(?:ss|sh|ch|x|z)es$/.test(base)) base = base.slice(0, -2);
  else if (/[^su]s$/.test(base)) base = base.slice(0, -1);
  if (/[aeiouy].*ing$/.test(base) && base.length > 5) base = undouble(base.slice(0, -3));
  else if (/[aeiouy].*ed$/.test(base) && base.length > 4 && !base.endsWith('eed')) base = undouble(base.slice(0, -2));
  else if (base.endsWith('ly') && base.length > 5) base = base.slice(0, -2);
  // `cache`, `cached`, `caching` and `city`, `cities` meet here.
  if (base.length > 3 && base.endsWith('e')) base = base.slice(0, -1);
  return base.length > 3 && base.endsWith('y') ? `${base.slice(0, -1)}i` : base;
}

const undouble = (word: string): string => (/([^aeiouylsz])\1$/.test(word) ? word.slice(0, -1) : word);

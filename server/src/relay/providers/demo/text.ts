/** Words that say nothing about a text's subject. */
const stopWords = new Set(
  (
    'a an the and or but if then so of in on at to for from by with about into over after before is are was were be been being am ' +
    'do does did have has had will would can could should may might must i you he she it we they me him her us them my your his ' +
    'its our their this that these those there here what which who whom whose when where why how not no yes please also just very ' +
    'some any all each every more most other than as up out tell say let'
  ).split(' '),
);

export const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+(?:'\p{L}+)?/gu) ?? [];

/** Light stemming, so that "running", "runs" and "run" match; consistency matters more than accuracy. */
export function stem(word: string): string {
  if (word.length <= 3) return word;
  const cut = word
    .replace(/'s$/, '')
    .replace(/(?:ization|isation)$/, 'ize')
    .replace(/ies$/, 'y')
    .replace(/(ss|sh|ch|x|z)es$/, '$1')
    .replace(/(?<=[a-z]{3})(?:ingly|edly|ing|ed|ly|ment)$/, '')
    .replace(/([^su])s$/, '$1');
  return cut.replace(/([bdgklmnprt])\1$/, '$1').replace(/(?<=[a-z]{3})e$/, '');
}

export const contentStems = (text: string): string[] =>
  words(text)
    .filter((word) => !stopWords.has(word))
    .map(stem);

/** Sentences exactly as in the text, so that they can be quoted. */
export function sentences(text: string): string[] {
  return text
    .split(/\n+|(?<=[.!?…])["”’)]{0,9}\s+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

/** The most frequent significant words, in order of first appearance. */
export function keyTerms(text: string, count: number): string[] {
  const seen = new Map<string, { word: string; times: number; first: number }>();
  words(text).forEach((word, index) => {
    if (stopWords.has(word) || word.length < 3) return;
    const entry = seen.get(stem(word));
    if (entry) entry.times += 1;
    else seen.set(stem(word), { word, times: 1, first: index });
  });
  return [...seen.values()]
    .sort((a, b) => b.times - a.times || a.first - b.first)
    .slice(0, count)
    .map((entry) => entry.word);
}

/** The sentences that share most words with the whole text, in their original order. */
export function summarise(text: string, count: number): string {
  const all = sentences(text);
  if (all.length <= count) return all.join(' ');
  const frequency = new Map<string, number>();
  for (const word of contentStems(text)) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const scored = all.map((sentence, index) => {
    const own = contentStems(sentence);
    const total = own.reduce((sum, word) => sum + (frequency.get(word) ?? 0), 0);
    // The first sentence usually names the subject; dividing by a root keeps long sentences from always winning.
    return { sentence, index, score: (total / Math.sqrt(own.length + 1)) * (index === 0 ? 1.5 : 1) };
  });
  return scored
    .sort((a, b) => b.score - a.score)
    .slice(0, count)
    .sort((a, b) => a.index - b.index)
    .map((entry) => entry.sentence)
    .join(' ');
}

/** Share of the first text's content words found in the second. */
export function coverage(wanted: string, given: string): number {
  const stems = new Set(contentStems(wanted));
  if (stems.size === 0) return 0;
  const have = new Set(contentStems(given));
  return [...stems].filter((word) => have.has(word)).length / stems.size;
}

/** Likely names: quoted strings, and capitalised words inside a sentence. */
export function entities(text: string): string[] {
  const quoted = [...text.matchAll(/["“]([^"”]{1,80})["”]/gu)].map((match) => match[1]!);
  const named = [
    ...text.matchAll(/(?<![.!?:\n]\s{0,9}|^\s{0,9})\b(\p{Lu}[\p{L}\p{N}'-]+(?:\s+\p{Lu}[\p{L}\p{N}'-]+)*)/gu),
  ].map((match) => match[1]!);
  return [...new Set([...quoted, ...named])];
}

export const shorten = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).trimEnd()}…`;

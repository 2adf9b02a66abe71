/** Function words that are frequent in English and rare in other languages, and verbs that requests start with. */
const english = new Set(
  `the and of to is are were be been this that these those it its you your my we our they their she his with for from
  not which what who how why when where would should could can will does did have has had please there than then
  about into if but any all each between using after before because without some many much other hello hi hey thanks thank
  add analyse analyze answer assess build calculate check classify compare compute convert create debug define derive
  describe design draft estimate evaluate explain extract find fix generate give help identify implement improve list make
  name outline plan proofread propose prove recommend refactor research rephrase review rewrite say show solve suggest summarise summarize
  tell test translate use write`.split(/\s+/),
);

/** A third to a half of English words are in the list; in other languages at most one word in ten. */
const leastShare = 0.15;
/** This many words, each counted once, are enough to detect the language. */
const looked = 100;

/** The words of a text, without code and quotations. Scripts without spaces are split by the runtime's dictionary. */
export function wordsOf(text: string): string[] {
  const said = text
    .replace(/```[\s\S]*?(?:```|$)/g, ' ')
    .split(/["“”„«»`]/)
    // Odd parts are quoted, except after a quotation mark that is never closed.
    .filter((_, i, parts) => i % 2 === 0 || i === parts.length - 1)
    .join(' ');
  const words: string[] = [];
  for (const { segment, isWordLike } of segmenter.segment(said.slice(0, looked * 8))) {
    if (isWordLike && /\p{L}/u.test(segment)) words.push(segment.toLowerCase());
  }
  return words.slice(0, looked);
}
const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/** Whether rules made of English words can read a text. A text without words counts as English. */
export function isEnglish(text: string): boolean {
  const words = [...new Set(wordsOf(text))];
  return words.length === 0 || words.filter((word) => english.has(word)).length >= leastShare * words.length;
}

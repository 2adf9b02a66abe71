/** A formula in a Markdown text, as models write it: `$…$`, `$$…$$`, `\(…\)`, `\[…\]`. */
export interface Formula {
  from: number;
  to: number;
  tex: string;
  /** Displayed as a block, not inline. */
  display: boolean;
  /** The closing delimiter has not arrived yet. */
  open: boolean;
}

const ends: Record<string, string> = { $: '$', $$: '$$', '\\(': '\\)', '\\[': '\\]' };

/** Delimiters that may open a formula, or code, which contains no formulas. */
const beginnings = /`+|~+|\$\$?|\\[\s\S]/g;
/** Delimiters that may close a formula. A formula cannot span an empty line. */
const endings = /\$\$?|\\[\s\S]|`|\n[ \t]*(?=\n)/g;

const digit = /\d/;
const letter = /\p{L}/u;
const endOfValue = /[\p{L}\d)\]}'!]$/u;
const inBraces = /\{[^{}]*\}/g;
const command = /^\\[a-z]/i;
/** A word that is not a command name. */
const plainWord = /(?<![\\\p{L}])\p{L}{2,}/u;
/** Brackets in prose may be escaped, and then look like the delimiters of a formula. */
const onlyWords = /^\s*\p{L}{3,}[ ,.]+\p{L}{2}[\p{L} ,.]*$/u;

/** Tells formulas from prices and variable names, which have a dollar sign before them but none after. */
function isInline(text: string, from: number, to: number): boolean {
  const tex = text.slice(from, to);
  const before = text[from - 2] ?? '';
  const after = text[to + 1] ?? '';
  if (tex === '' || tex.trim() !== tex || digit.test(before + after) || letter.test(before)) return false;
  if (letter.test(after) && !endOfValue.test(tex)) return false;
  return !(digit.test(tex[0]!) && plainWord.test(tex.replace(inBraces, '')));
}

/** Whether only spaces precede it on its line. */
function beginsLine(text: string, at: number): boolean {
  let from = at;
  while (text[from - 1] === ' ' || text[from - 1] === '\t') from -= 1;
  return from === 0 || text[from - 1] === '\n';
}

/**
 * Whether a position is on a quoted line. Must be called with ascending positions, so that each line is checked once.
 */
function quotes(text: string): (at: number) => boolean {
  const isQuoted = (line: number) => /^ *>/.test(text.slice(line, end === -1 ? text.length : end));
  let end = text.indexOf('\n');
  let quoted = isQuoted(0);
  return (at) => {
    if (end === -1 || end >= at) return quoted;
    let line = 0;
    for (; end !== -1 && end < at; end = text.indexOf('\n', line)) line = end + 1;
    quoted = isQuoted(line);
    return quoted;
  };
}

/** The position after the code that these delimiters open; after the delimiters themselves if they open none. */
function afterCode(text: string, marks: string, from: number): number {
  const fences = marks.length >= 3 && beginsLine(text, from - marks.length);
  if (marks.startsWith('~') && !fences) return from;
  for (let at = text.indexOf(marks, from); at !== -1; ) {
    let end = at + marks.length;
    while (text[end] === marks[0]) end += 1;
    if (end - at === marks.length) return end;
    at = text.indexOf(marks, end);
  }
  return fences ? text.length : from;
}

type End = number | 'never' | 'later';

/** Remembers missing delimiters, so that a text is scanned only once for each. */
function finderOfEnds(text: string): (end: string, from: number) => End {
  const missingUntil = new Map<string, number>();
  return (end, from) => {
    if ((missingUntil.get(end) ?? 0) > from) return 'never';
    endings.lastIndex = from;
    for (let hit = endings.exec(text); hit; hit = endings.exec(text)) {
      if (hit[0] === end) return hit.index;
      // A single dollar sign is ambiguous: if another one or code follows before the end, it opened no formula.
      if (end === '$' && /^[$`]/.test(hit[0])) return 'never';
      if (!hit[0].startsWith('\n')) continue;
      missingUntil.set(end, hit.index);
      return 'never';
    }
    // An unclosed `$` counts as a formula only if a command follows; otherwise it is probably a price.
    return end === '$' && !command.test(text.slice(from, from + 2)) ? 'never' : 'later';
  };
}

export function findFormulas(text: string): Formula[] {
  const found: Formula[] = [];
  const endOf = finderOfEnds(text);
  const isQuoted = quotes(text);
  beginnings.lastIndex = 0;
  for (let hit = beginnings.exec(text); hit; hit = beginnings.exec(text)) {
    const [mark] = hit;
    const begin = hit.index + mark.length;
    if (/^[`~]/.test(mark)) beginnings.lastIndex = afterCode(text, mark, begin);
    const endMark = ends[mark];
    const end = endMark ? endOf(endMark, begin) : 'never';
    if (!endMark || end === 'never') continue;
    const open = end === 'later';
    const to = open ? text.length : end + endMark.length;
    const tex = text.slice(begin, open ? to : end);
    const isText = mark === '$' ? !open && !isInline(text, begin, end) : onlyWords.test(tex) || tex.trim() === '';
    if (isText) continue;
    const display = mark === '$$' || mark === '\\[';
    found.push({ from: hit.index, to, tex: isQuoted(hit.index) ? tex.replace(/^ *>/gm, '') : tex, display, open });
    beginnings.lastIndex = to;
  }
  return found;
}

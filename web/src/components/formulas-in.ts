/** Mathematics in a Markdown text, as models write it: `$…$`, `$$…$$`, `\(…\)`, `\[…\]`. */
export interface Formula {
  from: number;
  to: number;
  tex: string;
  /** On lines of its own. */
  display: boolean;
  /** Its end has not come yet. */
  open: boolean;
}

const ends: Record<string, string> = { $: '$', $$: '$$', '\\(': '\\)', '\\[': '\\]' };

/** What may begin a formula, or code, which has none. */
const beginnings = /`+|~+|\$\$?|\\[\s\S]/g;
/** What may end a formula: none runs over an empty line. */
const endings = /\$\$?|\\[\s\S]|`|\n[ \t]*(?=\n)/g;

const digit = /\d/;
const letter = /\p{L}/u;
const endOfValue = /[\p{L}\d)\]}'!]$/u;
const inBraces = /\{[^{}]*\}/g;
const command = /^\\[a-z]/i;
/** Not the name of a command. */
const plainWord = /(?<![\\\p{L}])\p{L}{2,}/u;
/** Brackets in a sentence may be written like the marks of a formula. */
const onlyWords = /^\s*\p{L}{3,}[ ,.]+\p{L}{2}[\p{L} ,.]*$/u;

/** Prices and names of variables have a dollar sign before them, and none behind. */
function isInline(text: string, from: number, to: number): boolean {
  const tex = text.slice(from, to);
  const before = text[from - 2] ?? '';
  const after = text[to + 1] ?? '';
  if (tex === '' || tex.trim() !== tex || digit.test(before + after) || letter.test(before)) return false;
  if (letter.test(after) && !endOfValue.test(tex)) return false;
  return !(digit.test(tex[0]!) && plainWord.test(tex.replace(inBraces, '')));
}

/** Whether there is nothing but spaces before it on its line. */
function beginsLine(text: string, at: number): boolean {
  let from = at;
  while (text[from - 1] === ' ' || text[from - 1] === '\t') from -= 1;
  return from === 0 || text[from - 1] === '\n';
}

/** Whether a place lies on a quoted line; asked from the first to the last, each line is looked at once. */
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

/** Behind the code that these marks begin; behind themselves where they begin none. */
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

/** Each text is looked through once for an end that it does not have. */
function finderOfEnds(text: string): (end: string, from: number) => End {
  const missingUntil = new Map<string, number>();
  return (end, from) => {
    if ((missingUntil.get(end) ?? 0) > from) return 'never';
    endings.lastIndex = from;
    for (let hit = endings.exec(text); hit; hit = endings.exec(text)) {
      if (hit[0] === end) return hit.index;
      // One dollar sign is no certain beginning: the next one, or code, shows that it was none.
      if (end === '$' && /^[$`]/.test(hit[0])) return 'never';
      if (!hit[0].startsWith('\n')) continue;
      missingUntil.set(end, hit.index);
      return 'never';
    }
    // Of a price nothing more comes; a command tells a formula before its end.
    return end === '$' && !command.test(text.slice(from, from + 2)) ? 'never' : 'later';
  };
}

export function formulasIn(text: string): Formula[] {
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

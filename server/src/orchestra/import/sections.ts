/** The text under one heading, or on one page. */
export interface Section {
  /** Its heading and those above it, outermost first. */
  headings: string[];
  /** The page number in a PDF. */
  page: number | null;
  paragraphs: string[];
}

/** A longer line is not a heading, even if it is marked as one. */
const longestHeading = 200;

/** Control characters carry no meaning in a text, and terminals and databases handle them badly. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
const controls = /[\x00-\x08\x0b-\x1f\x7f\u2028\u2029\ufeff]/g;

/** Splits text or Markdown at its headings; blank lines separate paragraphs. */
export function* sectionsOf(text: string): Generator<Section> {
  const path: { level: number; title: string }[] = [];
  let section: Section = { headings: [], page: null, paragraphs: [] };
  let lines: string[] = [];
  let fence = '';
  const endParagraph = () => {
    const paragraph = lines.join('\n').replace(/^\n+/, '').trimEnd();
    if (paragraph !== '') section.paragraphs.push(paragraph);
    lines = [];
  };
  const begin = (level: number, title: string) => {
    while (path.length > 0 && path.at(-1)!.level >= level) path.pop();
    path.push({ level, title });
    section = { headings: path.map((heading) => heading.title), page: null, paragraphs: [] };
  };
  for (const line of linesOf(text.replace(controls, '').toWellFormed())) {
    // Checked first, because there may be millions of empty lines.
    if (line === '' && fence === '') {
      if (lines.length > 0) endParagraph();
      continue;
    }
    const mark = fenceOf(line);
    if (fence !== '' || mark !== '') {
      lines.push(line);
      if (fence === '') fence = mark;
      else if (mark.startsWith(fence)) fence = '';
      continue;
    }
    const heading = headingOf(line) ?? underlined(line, lines);
    if (heading) {
      if (heading.underlined) lines = [];
      endParagraph();
      // A heading without text is left out if subsections follow, because they contain its content.
      if (section.paragraphs.length > 0 || endsAt(section, heading.level, path)) yield section;
      begin(heading.level, heading.title);
    } else lines.push(line);
  }
  endParagraph();
  if (section.paragraphs.length > 0 || section.headings.length > 0) yield section;
}

/** Whether a heading without text also has no subsections. */
const endsAt = (section: Section, level: number, path: { level: number }[]): boolean =>
  section.headings.length > 0 && level <= path.at(-1)!.level;

/** Yields one line at a time: splitting ten mebibytes of empty lines would create ten million strings. */
function* linesOf(text: string): Generator<string> {
  for (let from = 0; from <= text.length; ) {
    const end = text.indexOf('\n', from);
    yield end === from ? '' : text.slice(from, end < 0 ? text.length : end).trimEnd();
    if (end < 0) return;
    from = end + 1;
  }
}

interface Heading {
  level: number;
  title: string;
  underlined: boolean;
}

/** Parses `## Title ##`. */
function headingOf(line: string): Heading | null {
  if (line[0] !== '#') return null;
  let level = 0;
  while (line[level] === '#') level += 1;
  if (level > 6 || (line[level] !== ' ' && line[level] !== '\t')) return null;
  let end = line.length;
  while (line[end - 1] === '#') end -= 1;
  const title = line.slice(level, end).trim();
  return title === '' || title.length > longestHeading ? null : { level, title, underlined: false };
}

/** Parses a single line with `===` or `---` below it. */
function underlined(line: string, before: string[]): Heading | null {
  const title = before.length === 1 ? before[0]!.trim() : '';
  if (line.length < 3 || title === '' || title.length > longestHeading) return null;
  if (/^=+$/.test(line)) return { level: 1, title, underlined: true };
  return /^-+$/.test(line) ? { level: 2, title, underlined: true } : null;
}

/** The marker that opens or closes a code block; empty for other lines. */
function fenceOf(line: string): string {
  if (!line.includes('```') && !line.includes('~~~')) return '';
  const start = line.trimStart();
  const mark = start.startsWith('```') ? '`' : start.startsWith('~~~') ? '~' : '';
  if (mark === '' || line.length - start.length > 3) return '';
  let length = 0;
  while (start[length] === mark) length += 1;
  return mark.repeat(length);
}

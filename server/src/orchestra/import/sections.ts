/** A stretch of text under one heading, or on one page. */
export interface Section {
  /** The heading it stands under, with those above it, the highest first. */
  headings: string[];
  /** Of a PDF. */
  page: number | null;
  paragraphs: string[];
}

/** A longer line is no heading, whatever it begins with. */
const longestHeading = 200;

/** What a text says has no use for them, and neither a terminal nor a database takes them well. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
const controls = /[\x00-\x08\x0b-\x1f\x7f\u2028\u2029\ufeff]/g;

/** Text or Markdown by its headings; lines between two blank ones are a paragraph. */
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
    // First, since there may be millions of them.
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
      // One that is followed by its own parts says what it says through them.
      if (section.paragraphs.length > 0 || endsAt(section, heading.level, path)) yield section;
      begin(heading.level, heading.title);
    } else lines.push(line);
  }
  endParagraph();
  if (section.paragraphs.length > 0 || section.headings.length > 0) yield section;
}

/** Whether a section without words of its own ends without parts either. */
const endsAt = (section: Section, level: number, path: { level: number }[]): boolean =>
  section.headings.length > 0 && level <= path.at(-1)!.level;

/** One at a time: ten mebibytes of empty lines would be ten million texts. */
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

/** `## Title ##` */
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

/** A line of its own with `===` or `---` below it. */
function underlined(line: string, before: string[]): Heading | null {
  const title = before.length === 1 ? before[0]!.trim() : '';
  if (line.length < 3 || title === '' || title.length > longestHeading) return null;
  if (/^=+$/.test(line)) return { level: 1, title, underlined: true };
  return /^-+$/.test(line) ? { level: 2, title, underlined: true } : null;
}

/** The mark that a block of code begins or ends with; empty for any other line. */
function fenceOf(line: string): string {
  if (!line.includes('```') && !line.includes('~~~')) return '';
  const start = line.trimStart();
  const mark = start.startsWith('```') ? '`' : start.startsWith('~~~') ? '~' : '';
  if (mark === '' || line.length - start.length > 3) return '';
  let length = 0;
  while (start[length] === mark) length += 1;
  return mark.repeat(length);
}

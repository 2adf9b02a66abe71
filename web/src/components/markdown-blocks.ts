/** Where the name of a link or of a footnote is explained, it may stand anywhere in the text. */
const definition = /^ {0,3}\[[^[\]\n]+\]:/m;
const fence = /^ *(`{3,}|~{3,})/;
/** At its beginning, a line that goes on with nothing: no item, quote, row or indented code. */
const begins = /^[^\s\-*+>|\d]/;

/**
 * A Markdown text in parts that are read each by itself, and mean the same: while an answer comes, only the last of them
 * changes. A part begins after an empty line, outside of code, where no list, quote or table can go on.
 */
export function markdownBlocks(text: string): string[] {
  if (definition.test(text)) return [text];
  const blocks: string[] = [];
  let open: string | null = null;
  let emptyBefore = false;
  let from = 0;
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf('\n', at) + 1 || text.length;
    const line = text.slice(at, next).trimEnd();
    if (open === null && emptyBefore && begins.test(line)) {
      blocks.push(text.slice(from, at));
      from = at;
    }
    const [begun, marks] = fence.exec(line) ?? [];
    if (marks && open === null) open = marks;
    else if (marks && begun === line && marks.startsWith(open!)) open = null;
    emptyBefore = line === '';
    at = next;
  }
  return [...blocks, text.slice(from)];
}

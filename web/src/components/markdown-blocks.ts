/** A link or footnote definition, which can be referenced from anywhere in the text. */
const definition = /^ {0,3}\[[^[\]\n]+\]:/m;
const fence = /^ *(`{3,}|~{3,})/;
/** The start of a line that cannot continue a list, quote, table or indented code. */
const begins = /^[^\s\-*+>|\d]/;

/**
 * Splits a Markdown text into parts that can be parsed independently with the same result: while an answer streams in,
 * only the last part changes. A part starts after an empty line, outside of code, where no list, quote or table can
 * continue.
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

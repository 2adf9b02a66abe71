/** What is read of a parsed text. */
interface Node {
  type: string;
  tagName?: string;
  properties?: Record<string, unknown>;
  children?: Node[];
}

const blocks = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'li', 'td', 'th']);

function direct(node: Node): void {
  for (const child of node.children ?? []) {
    // A paragraph of a list item stands as its item does: with a direction of its own it would not count for the item's.
    const inItem = child.tagName === 'p' && node.tagName === 'li';
    if (child.tagName && blocks.has(child.tagName) && !inItem) child.properties = { ...child.properties, dir: 'auto' };
    direct(child);
  }
}

/** A plugin of the Markdown parser: each block stands where its own first letter wants it. */
export const blockDirection = () => direct;

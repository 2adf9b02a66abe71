/** The used fields of a syntax tree node. */
interface Node {
  type: string;
  tagName?: string;
  properties?: Record<string, unknown>;
  children?: Node[];
}

const blocks = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'li', 'td', 'th']);

function direct(node: Node): void {
  for (const child of node.children ?? []) {
    // A paragraph in a list item inherits the item's direction: with its own `dir`, the item's `auto` would ignore it.
    const inItem = child.tagName === 'p' && node.tagName === 'li';
    if (child.tagName && blocks.has(child.tagName) && !inItem) child.properties = { ...child.properties, dir: 'auto' };
    direct(child);
  }
}

/** A Markdown plugin: each block gets its text direction from its own first strong character. */
export const blockDirection = () => direct;

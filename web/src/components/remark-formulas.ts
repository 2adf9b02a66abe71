import { type Formula, findFormulas } from './find-formulas.ts';

/** Private-use characters: for the parser, a formula is a number between two of them. */
const [begin, end] = ['\uE000', '\uE001'];
const standIn = /\uE000(\d+)\uE001/;

interface Found extends Formula {
  source: string;
}

const fields = ['value', 'url', 'title', 'alt', 'lang', 'meta', 'label', 'identifier'] as const;

/** The used fields of a syntax tree node. */
type Node = Partial<Record<(typeof fields)[number], string | null>> & {
  type: string;
  children?: Node[];
  data?: object;
};

/** The part of the processor that a plugin may replace. */
interface Reader {
  parser?: (text: string, file: never) => Node;
}

/**
 * A Markdown plugin: formulas become `var` elements that contain their source. They are replaced by placeholders before
 * parsing, because asterisks, underscores and bars in them are not Markdown, and restored unchanged outside of text
 * nodes.
 */
export function remarkFormulas(this: Reader): void {
  const read = this.parser;
  if (!read) return;
  this.parser = (text, file) => {
    const formulas = text.includes(begin)
      ? []
      : findFormulas(text).map((formula) => ({ ...formula, source: text.slice(formula.from, formula.to) }));
    if (formulas.length === 0) return read(text, file);
    let at = 0;
    let without = '';
    for (const [index, { from, to }] of formulas.entries()) {
      without += `${text.slice(at, from)}${begin}${index}${end}`;
      at = to;
    }
    const root = read(without + text.slice(at), file);
    putBack(root, formulas);
    return root;
  };
}

function putBack(node: Node, formulas: Found[]): void {
  for (const field of fields) {
    const parts = node[field]?.split(standIn) ?? [];
    if (parts.length > 1) node[field] = parts.map((part, at) => (at % 2 ? formulas[+part]!.source : part)).join('');
  }
  if (!node.children) return;
  node.children = node.children.flatMap((child) => {
    const isText = child.type === 'text';
    if (!isText) putBack(child, formulas);
    const parts = isText ? child.value!.split(standIn) : [];
    if (parts.length < 2) return [child];
    return parts.map((value, at) => (at % 2 ? shown(formulas[+value]!) : { type: 'text', value }));
  });
}

/** A text node that is rendered as an element. */
const shown = ({ tex, display, open, source }: Found): Node => ({
  type: 'text',
  value: source,
  data: { hName: 'var', hProperties: { dataTex: tex, dataDisplay: display, dataOpen: open } },
});

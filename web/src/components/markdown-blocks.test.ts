import { expect, test } from 'bun:test';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import ReactMarkdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { markdownBlocks } from './markdown-blocks.ts';

const html = (text: string): string =>
  renderToStaticMarkup(createElement(ReactMarkdown, { remarkPlugins: [remarkGfm] }, text)).replaceAll('\n', '');

const texts: [parts: number, text: string][] = [
  [1, ''],
  [1, 'One line'],
  [3, '# Title\n\nA paragraph\nof two lines\n\nAnother'],
  [2, '1. one\n\n2. two\n\n   of it\n\n- a\n\n- b\n\nafter the lists'],
  [2, '> said\n\n> said again\n\nafter it'],
  [2, '| a | b |\n|---|---|\n| 1 | 2 |\n\nafter it'],
  [2, '```ts\nconst a = 1;\n\nconst b = 2;\n```\n\nafter it'],
  [2, '````md\n```\n\nwithin\n```\n\nwithin\n````\n\nafter it'],
  [1, '~~~\n```\n\nnever ended\n'],
  [2, '- item\n\n  ```\n  code\n\n  code\n  ```\n\nafter it'],
  [1, 'See [there][1].\n\nMore.\n\n[1]: https://example.com'],
  [1, 'A note.[^1]\n\nMore.\n\n[^1]: Explained'],
  [2, 'Before\n\n    indented\n\n    code\n\nafter it'],
  [2, 'Line\r\n\r\nand line'],
  [2, 'Title\n===\n\n---\n\nText **bold**'],
];

test.each(texts)('splits into %d blocks that render the same alone as in the whole text: %j', (parts, text) => {
  const blocks = markdownBlocks(text);
  expect(blocks).toHaveLength(parts);
  expect(blocks.join('')).toBe(text);
  expect(blocks.map(html).join('')).toBe(html(text));
});

test('appended text changes only the last block', () => {
  const text = texts
    .map(([, one]) => one)
    .filter((one) => !/^\[|never ended/m.test(one))
    .join('\n\nand\n\n');
  for (let end = 1; end < text.length; end += 1) {
    const before = markdownBlocks(text.slice(0, end)).slice(0, -1);
    expect(markdownBlocks(text.slice(0, end + 1)).slice(0, before.length)).toEqual(before);
  }
});

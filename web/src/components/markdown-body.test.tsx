import { expect, test } from 'bun:test';
import { MantineProvider } from '@mantine/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { MarkdownBody } from './markdown-body.tsx';

const text = `# عنوان

שלום עולם

Left again

- أول

  ثان
- second

> اقتباس

| اسم | name |
| --- | ---: |
| قيمة | value |

\`\`\`js
const a = 1;
\`\`\`
`;

const htmlOf = (markdown: string): string =>
  renderToStaticMarkup(
    <MantineProvider>
      <MarkdownBody>{markdown}</MarkdownBody>
    </MantineProvider>,
  );

/** As they stand until what writes them has come. */
const formulas: [text: string, html: string][] = [
  ['So $a_1 * b_2 * c_3$ is', '<p dir="auto">So <code>$a_1 * b_2 * c_3$</code> is</p>'],
  ['**\\(x_1\\)**', '<strong><code>\\(x_1\\)</code></strong>'],
  ['\\[\na & b \\\\\n\\]', '<p dir="auto"><code>\\[\na &amp; b \\\\\n\\]</code></p>'],
  ['| a |\n|---|\n| $|x|$ |', '<td dir="auto"><code>$|x|$</code></td>'],
  ['\\[ a_1 * b_1 * c', '<p dir="auto"><code>\\[ a_1 * b_1 * c</code></p>'],
  ['    indented $x$', '<code>indented $x$\n</code>'],
  ['[there](https://example.com/$x$)', 'href="https://example.com/$x$"'],
  ['$x$ and \uE0000\uE001', '<p dir="auto">$x$ and \uE0000\uE001</p>'],
  ['From $5 to $10, *really*', '<p dir="auto">From $5 to $10, <em>really</em></p>'],
];

test.each(formulas)('Markdown inside formulas is not interpreted: %j', (markdown, html) => {
  expect(htmlOf(markdown).replaceAll(/<!--.*?-->/g, '')).toContain(html);
});

test('each block takes the direction of its own text; code is always left to right', () => {
  const html = htmlOf(text);
  const blocks = [...html.matchAll(/<(h1|p|li|td|th|pre)\b([^>]*)>/g)];
  const directions = blocks.map(([, tag, attributes]) => `${tag} ${/dir="(\w+)"/.exec(attributes!)?.[1]}`);
  expect(directions).toEqual([
    'h1 auto',
    'p auto',
    'p auto',
    'li auto',
    // Those of an item stand as it does.
    'p undefined',
    'p undefined',
    'li auto',
    'p undefined',
    'p auto',
    'th auto',
    'th auto',
    'td auto',
    'td auto',
    'pre ltr',
  ]);
});

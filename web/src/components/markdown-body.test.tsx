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

test('each block of a text stands where its own letters want it, code always left', () => {
  const html = renderToStaticMarkup(
    <MantineProvider>
      <MarkdownBody>{text}</MarkdownBody>
    </MantineProvider>,
  );
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

import { expect, test } from 'bun:test';
import { Autocomplete, MantineProvider, MultiSelect, Select, TagsInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { theme } from './theme.ts';

const data = ['one', 'two'];
const inputs: [string, ReactNode][] = [
  ['Select', <Select key="select" clearable data={data} value="one" />],
  ['MultiSelect', <MultiSelect key="many" clearable data={data} value={['one']} />],
  ['TagsInput', <TagsInput key="tags" clearable data={data} value={['one']} />],
  ['Autocomplete', <Autocomplete key="text" clearable data={data} value="one" />],
];

test.each(inputs)('the clear button of %s has a label for screen readers', (_, input) => {
  const html = renderToStaticMarkup(<MantineProvider theme={theme}>{input}</MantineProvider>);
  const button = [...html.matchAll(/<button[^>]*>/g)].map(([tag]) => tag).find((tag) => /clear/i.test(tag)) ?? html;
  expect(button).toContain('aria-label="Clear selection"');
  expect(button).not.toContain('aria-hidden="true"');
});

import { expect, test } from 'bun:test';
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { modelsQuery, type OfferedModel } from '../models.ts';
import { theme } from '../theme.ts';
import { ModelNameInput, ModelPicker, ModelsPicker } from './model-picker.tsx';

const count = 4_000;
const modelsOf = (owners: number): OfferedModel[] =>
  Array.from({ length: count }, (_, index) => {
    const owned_by = `owner${index % owners}`;
    return { id: `${owned_by}/model-${index}`, name: `Model ${index}`, owned_by } as OfferedModel;
  });

/** How long one letter takes: the form around a picker is rendered again. */
function renderMs(picker: ReactNode, owners: number): number {
  const client = new QueryClient();
  client.setQueryData(modelsQuery.queryKey, modelsOf(owners));
  const page = (
    <QueryClientProvider client={client}>
      <MantineProvider theme={theme}>{picker}</MantineProvider>
    </QueryClientProvider>
  );
  const measured = Array.from({ length: 5 }, () => {
    const startMs = performance.now();
    renderToStaticMarkup(page);
    return performance.now() - startMs;
  });
  return Math.min(...measured);
}

const pickers: [string, ReactNode][] = [
  ['ModelPicker', <ModelPicker key="one" value="" onChange={() => {}} />],
  ['ModelsPicker', <ModelsPicker key="many" value={[]} onChange={() => {}} />],
  ['ModelNameInput', <ModelNameInput key="name" value="" onChange={() => {}} />],
];

// A ratio does not depend on the machine. When every group cost a copy of all options it was above 20.
test.each(pickers)('%s is as quick with a thousand owners of models as with one', (_, picker) => {
  expect(renderMs(picker, 1_000) / renderMs(picker, 1)).toBeLessThan(10);
});

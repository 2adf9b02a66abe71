import { expect, test } from 'bun:test';
import { MantineProvider, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { asCard, DataRow } from './data-rows.tsx';

/** The text of each cell of a row. */
const cellsOf = (header: ReactNode, values: ReactNode[]): string[] => {
  const columns = values.map((value, index) => ({ key: String(index), header, cell: () => value }));
  const html = renderToStaticMarkup(
    <MantineProvider>
      <Table>
        <Table.Tbody>
          <DataRow row={{}} columns={columns} />
        </Table.Tbody>
      </Table>
    </MantineProvider>,
  );
  return [...html.matchAll(/<(t[dh])[^>]*>(.*?)<\/\1>/g)].map(([, , text]) => text!);
};

test('an empty cell shows a dash; zero and text are shown as they are', () => {
  expect(cellsOf('Tags', [null, undefined, false, '', 0, 'one'])).toEqual(['–', '–', '–', '–', '0', 'one']);
});

test('cells of the actions column stay empty without actions', () => {
  expect(cellsOf(<span>Actions</span>, [null, false])).toEqual(['', '']);
});

test('on a card the actions follow the name', () => {
  const column = (key: string, pinned = false) => ({ key, header: key, cell: () => key, pinned });
  const columns = [column('name'), column('used'), column('made'), column('acts', true)];
  expect(asCard(columns).map(({ key }) => key)).toEqual(['name', 'acts', 'used', 'made']);
  expect(asCard([])).toEqual([]);
});

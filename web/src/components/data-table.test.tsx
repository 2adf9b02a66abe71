import { expect, test } from 'bun:test';
import { MantineProvider } from '@mantine/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { DataTable, type DataTableProps } from './data-table.tsx';

type Row = { id: number };
const rowsOf = (count: number): Row[] => Array.from({ length: count }, (_, id) => ({ id }));

/** How many rows are shown, and what the foot says of them. */
function shown(count: number, props: Partial<DataTableProps<Row>> = {}) {
  const html = renderToStaticMarkup(
    <MantineProvider>
      <DataTable
        label="Things"
        columns={[{ key: 'id', header: 'Id', cell: ({ id }) => id }]}
        rows={rowsOf(count)}
        rowKey={({ id }) => id}
        query={{ error: null, isFetching: false, refetch: () => {} }}
        empty={null}
        {...props}
      />
    </MantineProvider>,
  );
  return { rows: html.split('scope="row"').length - 1, foot: /\d+–[^<]*/.exec(html)?.[0] };
}

test('a long list that is fully loaded is paged, with its exact length', () => {
  expect(shown(50)).toEqual({ rows: 50, foot: undefined });
  // 150 is also as far as the service counts a long list from the end of this page.
  expect(shown(150)).toEqual({ rows: 50, foot: '1–50 of 150' });
  expect(shown(10_000)).toEqual({ rows: 50, foot: '1–50 of 10,000' });
});

test('a list that grows on request shows all it has', () => {
  expect(shown(150, { grows: true })).toEqual({ rows: 150, foot: undefined });
});

test('a list paged by the service says that it may be longer', () => {
  const paging = { page: 1, pageSize: 50, total: 1_050, onPage: () => {} };
  expect(shown(50, { paging })).toEqual({ rows: 50, foot: '1–50 of at least 1,050' });
});

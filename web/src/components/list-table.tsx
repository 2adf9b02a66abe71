import { Button, Group, Select, Text } from '@mantine/core';
import { IconSearchOff } from '@tabler/icons-react';
import { formatNumber } from '../format.ts';
import { t } from '../language/words.ts';
import { filterRows, listPageSize, pageOfRows, sortRows } from '../list-rows.ts';
import { usePhone } from '../use-phone.ts';
import { useStaysShown } from '../use-typed-filter.ts';
import { useUrlState } from '../use-url-state.ts';
import type { Column } from './data-rows.tsx';
import { DataTable, type DataTableProps } from './data-table.tsx';
import { SearchInput } from './search-input.tsx';

/** Shorter lists fit on the screen and need no search. */
const searchedFrom = 10;
const urlDefaults = { q: '', sort: '', page: '1' };

interface ListTableProps<Row> extends Omit<DataTableProps<Row>, 'paging' | 'sorting'> {
  /** The text that the search looks in. */
  textOf: (row: Row) => string;
}

/**
 * A table whose rows are all loaded: searchable, sortable and paged in the browser. The choices are kept in the URL.
 */
export function ListTable<Row>({ textOf, rows, ...table }: ListTableProps<Row>) {
  const phone = usePhone();
  const isColumn = (name: string) => table.columns.some(({ key, sort }) => sort && key === name.replace('-', ''));
  const [{ q, sort, page }, set] = useUrlState(urlDefaults, { sort: isColumn });
  const descending = sort.startsWith('-');
  const by = table.columns.find(({ key, sort: value }) => value && key === sort.replace('-', ''));
  const onSort = ({ key, sort: value }: Column<Row>) => {
    // Numbers and times sort descending first, names ascending.
    const first = rows?.[0] && typeof value?.(rows[0]) === 'number' ? `-${key}` : key;
    const other = descending ? key : `-${key}`;
    set({ sort: by?.key === key ? other : first, page: '1' });
  };
  const sortable = table.columns.filter(({ sort: value }) => value);
  const searched = useStaysShown(q !== '' || (rows?.length ?? 0) >= searchedFrom);
  const found = rows && filterRows(rows, q, textOf);
  const inOrder = found && by?.sort ? sortRows(found, by.sort, descending) : found;
  const shown = inOrder && pageOfRows(inOrder, Number.parseInt(page, 10) || 1, listPageSize);
  const paging = {
    page: shown?.page ?? 1,
    pageSize: listPageSize,
    total: found?.length ?? 0,
    exact: true,
    onPage: (next: number) => set({ page: String(next) }),
  };
  const nothing = {
    icon: IconSearchOff,
    title: t('No matches'),
    action: (
      <Button variant="default" onClick={() => set({ q: '', page: '1' })}>
        {t('Show all')}
      </Button>
    ),
  };
  return (
    <>
      {searched && (
        <Group mb="sm">
          <SearchInput
            label={t('Search: {label}', { label: table.label })}
            placeholder={t('Search')}
            value={q}
            onChange={(next) => set({ q: next, page: '1' })}
          />
          {/* On a phone rows are cards, and there are no column headers to click. */}
          {phone && (
            <Select
              aria-label={t('Sort')}
              placeholder={t('Sort')}
              w="100%"
              clearable
              data={sortable.map(({ key, header }) => ({ value: key, label: String(header) }))}
              value={by?.key ?? null}
              onChange={(chosen) => {
                const column = sortable.find(({ key }) => key === chosen);
                if (column) onSort(column);
                else set({ sort: '', page: '1' });
              }}
            />
          )}
          <Text size="sm" c="dimmed" role="status">
            {q !== '' && found && rows && t('{count} of {total}', counts(found.length, rows.length))}
          </Text>
        </Group>
      )}
      <DataTable
        {...table}
        rows={shown?.rows}
        paging={paging.total > listPageSize ? paging : undefined}
        sorting={{ by: by?.key ?? '', descending, onSort }}
        empty={q === '' ? table.empty : nothing}
      />
    </>
  );
}

const counts = (count: number, total: number) => ({ count: formatNumber(count), total: formatNumber(total) });

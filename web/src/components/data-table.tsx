import { Card, Group, Pagination, Skeleton, Table, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { formatNumber } from '../format.ts';
import { t } from '../language/words.ts';
import { isAtLeast, lastPage, listPageSize, pageOfRows } from '../list-rows.ts';
import { usePhone } from '../use-phone.ts';
import { asCard, type Column, cellClass, DataRow, type Detail } from './data-rows.tsx';
import { EmptyState, type EmptyStateProps } from './empty-state.tsx';
import { ErrorState } from './error-state.tsx';
import { SortHead } from './sort-head.tsx';

/** A small column at the end of a row; its name is visible to screen readers only. */
export const endColumn = (name: string) =>
  ({ key: 'end', header: <span className="svc-hidden">{name}</span>, align: 'right' }) as const;

/** The column with the actions of a row; always in view. */
export const actsColumn = (name = t('Actions')) => ({ ...endColumn(name), pinned: true }) as const;

export interface DataTableProps<Row> {
  /** Describes the table for screen readers. */
  label: string;
  columns: Column<Row>[];
  /** Undefined until the first response. */
  rows: Row[] | undefined;
  rowKey: (row: Row) => string | number;
  /** The query of the rows: its error is shown with a retry button. */
  query: { error: unknown; isFetching: boolean; refetch: () => unknown };
  /** Shown if there are no rows at all; null for a table that always has some. */
  empty: EmptyStateProps | null;
  /** Absent if all rows are given: then the table pages long lists itself. */
  paging?: { page: number; pageSize: number; total: number; exact?: boolean; onPage: (page: number) => void };
  /** Further rows are appended on request, so the table has no pages. */
  grows?: boolean;
  /** The sorted column, and what a click on a column name does. */
  sorting?: { by: string; descending: boolean; onSort: (column: Column<Row>) => void };
  /** The table scrolls horizontally below this width; on a phone, rows become cards. */
  minWidth?: number;
  /** Makes rows expandable. */
  detail?: Detail<Row>;
}

/** Leaves room for the layout and the pager, so that the sticky header works. */
const maxHeight = 'max(24rem, calc(100dvh - 13rem))';

const skeletonKeys = Array.from({ length: 8 }, (_, index) => index);

function SkeletonRows({ columns, count }: { columns: Column<never>[]; count: number }) {
  return skeletonKeys.slice(0, count).map((row) => (
    <Table.Tr key={row}>
      {columns.map(({ key }) => (
        <Table.Td key={key}>
          <Skeleton height={12} my={5} width={`${50 + ((row * 17 + key.length * 11) % 40)}%`} />
        </Table.Td>
      ))}
    </Table.Tr>
  ));
}

const controls = {
  first: t('First page'),
  previous: t('Previous page'),
  next: t('Next page'),
  last: t('Last page'),
};

function Pages({ page, pageSize, total, exact, onPage }: NonNullable<DataTableProps<never>['paging']>) {
  const first = (page - 1) * pageSize + 1;
  const shown = {
    first: formatNumber(first),
    last: formatNumber(Math.min(total, first + pageSize - 1)),
    total: formatNumber(total),
  };
  return (
    <Group justify="space-between" px="md" py="sm" className="svc-table-foot">
      <Text size="sm" c="dimmed" className="svc-number">
        {!exact && isAtLeast({ page, pageSize, total })
          ? t('{first}–{last} of at least {total}', shown)
          : t('{first}–{last} of {total}', shown)}
      </Text>
      {total > pageSize && (
        <Pagination
          size="sm"
          value={page}
          total={Math.ceil(total / pageSize)}
          onChange={onPage}
          siblings={1}
          getItemProps={(number) => ({ 'aria-label': t('Page {number}', { number }) })}
          getControlProps={(control) => ({ 'aria-label': controls[control] })}
        />
      )}
    </Group>
  );
}

function HeadCell<Row>({ column, sorting }: { column: Column<Row> } & Pick<DataTableProps<Row>, 'sorting'>) {
  const { key, header, align, width, pinned, sort } = column;
  const way = sorting?.descending ? 'descending' : 'ascending';
  const sorted = sorting?.by === key ? way : 'none';
  const sorts = sorting && sort;
  return (
    <Table.Th w={width} scope="col" className={cellClass({ pinned, align })} aria-sort={sorts ? sorted : undefined}>
      {sorts ? (
        <SortHead sorted={sorted} onSort={() => sorting.onSort(column)}>
          {header}
        </SortHead>
      ) : (
        header
      )}
    </Table.Th>
  );
}

/** Leaves a page that has no rows: they were deleted, or the page is beyond the end. */
function useExistingPage({ rows, query, paging }: Pick<DataTableProps<never>, 'rows' | 'query' | 'paging'>): void {
  const beyond = rows?.length === 0 && !query.isFetching && !query.error && paging !== undefined && paging.page > 1;
  useEffect(() => {
    if (beyond) paging.onPage(lastPage(paging));
  }, [beyond, paging]);
}

/** The rows to show of a list that is fully loaded. */
function useOwnPaging<Row>({ rows, paging, grows }: Pick<DataTableProps<Row>, 'rows' | 'paging' | 'grows'>) {
  const [page, onPage] = useState(1);
  if (paging || grows || !rows || rows.length <= listPageSize) return { rows, paging };
  const shown = pageOfRows(rows, page, listPageSize);
  const own = { page: shown.page, pageSize: listPageSize, total: rows.length, exact: true, onPage };
  return { rows: shown.rows, paging: own };
}

/**
 * A table paged by the server, or here if it gets all rows; on a phone each row is a card with labelled fields. It keeps
 * its size while loading: first skeletons, later the previous rows, dimmed.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, rowKey, query, empty, sorting, minWidth = 640, detail } = props;
  const { rows, paging } = useOwnPaging(props);
  const columns = usePhone() ? asCard(props.columns) : props.columns;
  useExistingPage({ rows: rows as never[] | undefined, query, paging });
  if (query.error && !rows) {
    return (
      <ErrorState
        error={query.error}
        title={t('{label} could not be loaded', { label })}
        onRetry={() => query.refetch()}
      />
    );
  }
  if (rows?.length === 0 && (!paging || paging.page === 1))
    return <Card padding={0}>{empty && <EmptyState {...empty} />}</Card>;
  return (
    <Card padding={0} aria-busy={query.isFetching}>
      <Table.ScrollContainer
        minWidth={minWidth}
        maxHeight={maxHeight}
        className="svc-table-scroll"
        type="native"
        tabIndex={0}
        role="region"
        aria-label={label}
      >
        <Table
          stickyHeader
          highlightOnHover
          verticalSpacing="sm"
          horizontalSpacing="md"
          className={rows && query.isFetching ? 'svc-table svc-cards svc-stale' : 'svc-table svc-cards'}
        >
          <Table.Thead>
            <Table.Tr>
              {detail && (
                <Table.Th scope="col" w={40}>
                  <span className="svc-hidden">{t('Details')}</span>
                </Table.Th>
              )}
              {columns.map((column) => (
                <HeadCell key={column.key} column={column} sorting={sorting} />
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows ? (
              rows.map((row) => <DataRow key={rowKey(row)} row={row} columns={columns} detail={detail} />)
            ) : (
              <SkeletonRows columns={columns as Column<never>[]} count={Math.min(paging?.pageSize ?? 5, 8)} />
            )}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {paging && rows && <Pages {...paging} />}
    </Card>
  );
}

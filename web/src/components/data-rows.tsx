import { ActionIcon, Table } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { SortValue } from '../list-rows.ts';

export interface Column<Row> {
  key: string;
  header: ReactNode;
  cell: (row: Row) => ReactNode;
  align?: 'left' | 'right';
  width?: number | string;
  /** Long text wraps; other cells stay on one line. */
  wrap?: boolean;
  /** Takes the width that other columns leave, and truncates its text there, so that all columns stay visible. */
  fluid?: boolean;
  /** Sort key, for tables that hold all rows; a table paged by the service is sorted there. */
  sort?: (row: Row) => SortValue;
  /** Stays visible at the right edge while the other columns scroll horizontally. */
  pinned?: boolean;
}

/** Content shown below a row when it is expanded. */
export interface Detail<Row> {
  /** Label of the expand button. */
  label: (row: Row) => string;
  show: (row: Row) => ReactNode;
}

/** Classes instead of inline styles, so that the phone layout, where rows are cards, can override them. */
export const cellClass = ({
  wrap,
  fluid,
  pinned,
  align,
}: Pick<Column<never>, 'wrap' | 'fluid' | 'pinned' | 'align'>): string =>
  [wrap && 'svc-wrap', fluid && 'svc-fluid', pinned && 'svc-pinned', align === 'right' && 'svc-right']
    .filter(Boolean)
    .join(' ');

/** Column order for cards: actions follow the name, in focus order too. */
export function asCard<Row>(columns: Column<Row>[]): Column<Row>[] {
  const [name, ...rest] = columns;
  const acts = rest.filter(({ pinned }) => pinned);
  return name ? [name, ...acts, ...rest.filter(({ pinned }) => !pinned)] : [];
}

/** An empty cell with a labelled column shows a dash; without a label, such as unavailable actions, it stays empty. */
function shownOf<Row>({ cell, header }: Column<Row>, row: Row): ReactNode {
  const shown = cell(row);
  const nothing = shown === null || shown === undefined || shown === false || shown === '';
  return nothing && typeof header === 'string' ? '–' : shown;
}

interface DataRowProps<Row> {
  row: Row;
  columns: Column<Row>[];
  detail?: Detail<Row>;
}

/** A row, and its details below while expanded. */
export function DataRow<Row>({ row, columns, detail }: DataRowProps<Row>) {
  const [open, setOpen] = useState(false);
  const Chevron = open ? IconChevronDown : IconChevronRight;
  return (
    <>
      <Table.Tr>
        {detail && (
          <Table.Td className="svc-opener">
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={detail.label(row)}
              aria-expanded={open}
              onClick={() => setOpen(!open)}
            >
              <Chevron size={16} aria-hidden />
            </ActionIcon>
          </Table.Td>
        )}
        {columns.map((column, index) => {
          // The first cell is the row's header: screen readers announce it with every cell of the row.
          const Cell = index === 0 ? Table.Th : Table.Td;
          return (
            <Cell
              key={column.key}
              scope={index === 0 ? 'row' : undefined}
              className={cellClass(column)}
              data-label={typeof column.header === 'string' ? column.header : undefined}
            >
              {shownOf(column, row)}
            </Cell>
          );
        })}
      </Table.Tr>
      {detail && open && (
        <Table.Tr className="svc-detail-row">
          <Table.Td colSpan={columns.length + 1}>
            <div className="svc-detail">{detail.show(row)}</div>
          </Table.Td>
        </Table.Tr>
      )}
    </>
  );
}

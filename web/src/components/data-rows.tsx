import { ActionIcon, Table } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { SortValue } from '../listed.ts';

export interface Column<Row> {
  key: string;
  header: ReactNode;
  cell: (row: Row) => ReactNode;
  align?: 'left' | 'right';
  width?: number | string;
  /** Long text breaks into lines; other cells keep theirs in one. */
  wrap?: boolean;
  /** Text of any length takes what the other columns leave, and is cut there: they all stay in sight. */
  fluid?: boolean;
  /** What rows are sorted by, where all of them are here: a table of pages from the service sorts there. */
  sort?: (row: Row) => SortValue;
  /** Stays in sight at the right while the others scroll sideways. */
  pinned?: boolean;
}

/** What a row shows below itself when it is opened. */
export interface Detail<Row> {
  /** Of the button that opens it. */
  label: (row: Row) => string;
  show: (row: Row) => ReactNode;
}

/** By class and not by style, so that on a phone, where rows are cards, other rules hold. */
export const cellClass = ({
  wrap,
  fluid,
  pinned,
  align,
}: Pick<Column<never>, 'wrap' | 'fluid' | 'pinned' | 'align'>): string =>
  [wrap && 'svc-wrap', fluid && 'svc-fluid', pinned && 'svc-pinned', align === 'right' && 'svc-right']
    .filter(Boolean)
    .join(' ');

/** As cards have them: acts stand beside the name, and the keyboard comes to them in that order. */
export function asCard<Row>(columns: Column<Row>[]): Column<Row>[] {
  const [name, ...rest] = columns;
  const acts = rest.filter(({ pinned }) => pinned);
  return name ? [name, ...acts, ...rest.filter(({ pinned }) => !pinned)] : [];
}

/** A named field says that it has nothing; what has no name, such as acts that are not to be had, stays away. */
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

/** A row, with its details below it while they are open. */
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
          // What the row is about: whoever hears a table is told it with every cell below and above.
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

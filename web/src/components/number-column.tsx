import type { ReactNode } from 'react';
import type { Column } from './data-rows.tsx';

/** A right-aligned column whose digits line up. */
export const numberColumn = <Row,>(key: string, header: string, cell: (row: Row) => ReactNode): Column<Row> => ({
  key,
  header,
  align: 'right',
  cell: (row) => <span className="svc-number">{cell(row)}</span>,
});

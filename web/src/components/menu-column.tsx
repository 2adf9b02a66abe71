import type { Column } from './data-rows.tsx';
import { actsColumn } from './data-table.tsx';
import { type RowAct, RowMenu } from './row-menu.tsx';

/** The column with the actions of a row as a menu, if it has any; `labelOf` names the row for screen readers. */
export const menuColumn = <Row,>(labelOf: (row: Row) => string, actsOf: (row: Row) => RowAct[]): Column<Row> => ({
  ...actsColumn(),
  cell: (row) => {
    const acts = actsOf(row);
    return acts.length > 0 && <RowMenu label={labelOf(row)} acts={acts} />;
  },
});

import type { SQLQueryBindings } from 'bun:sqlite';
import { insertMany } from '../../platform/db/insert-many.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { writeSync } from '../../platform/db/sqlite-dialect.ts';
import { type Db, engineOf } from '../../platform/db/tables.ts';
import type { DecisionTable } from './tables.ts';

export const decisionColumns = [
  'request_id',
  'user_id',
  'model_id',
  'provider',
  'channel_id',
  'choice_id',
  'strategy',
  'reason',
  'outcome',
  'duration_ms',
  'candidates',
  'attempts',
  'parent_request_id',
  'created_at',
] as const satisfies (keyof DecisionTable)[];

/**
 * Small enough that a synchronous SQLite write stalls streams for a few milliseconds at most, large enough for rows to
 * share pages of the table and of its indexes.
 */
export const mostDecisionsAtOnce = 400;
/** Few sizes, since each is a statement that stays prepared. */
const sizesOnPostgres = [200, 50, 12, 3, 1];
/** Smaller: the values bound to a statement should fit the processor's cache. */
const sizesOnSqlite = [50, 12, 3, 1];

/** How many of the waiting decisions to insert next. */
export const decisionsAtOnce = (db: Db, waiting: number): number =>
  engineOf(db) === 'sqlite' ? Math.min(waiting, mostDecisionsAtOnce) : sizesOnPostgres.find((size) => size <= waiting)!;

/** `values` row after row, in the order of the columns; all rows or none are written. */
export async function insertDecisions(db: Db, values: unknown[]): Promise<void> {
  if (engineOf(db) === 'sqlite') await insertOnSqlite(db, values as SQLQueryBindings[]);
  else await insertMany(db, 'routing_decisions', decisionColumns, values);
}

type Column = (typeof decisionColumns)[number];

const width = decisionColumns.length;
/** Binding a value costs as much as storing it: rows whose choice is shared mostly take these from the text. */
const shared = new Map<Column, string | null>([
  ['strategy', ''],
  ['reason', ''],
  ['outcome', 'success'],
  ['candidates', ''],
  ['parent_request_id', null],
]);
const sharedAt = [...shared].map(([column, value]) => ({ at: decisionColumns.indexOf(column), value }));
const boundAt = decisionColumns.flatMap((column, at) => (shared.has(column) ? [] : [at]));
const sharedText = (column: Column): string => {
  const value = shared.get(column);
  if (value === undefined) return '?';
  return value === null ? 'null' : `'${value}'`;
};

const insertsOf = (textOf: (column: Column) => string): Map<number, string> => {
  const row = `(${decisionColumns.map(textOf).join(', ')})`;
  const into = `insert into routing_decisions (${decisionColumns.join(', ')}) values`;
  return new Map(sizesOnSqlite.map((rows) => [rows, `${into} ${Array(rows).fill(row).join(', ')}`]));
};
const inserts = { alike: insertsOf(sharedText), full: insertsOf(() => '?') };

function isAlike(values: SQLQueryBindings[], row: number): boolean {
  for (const { at, value } of sharedAt) if (values[row * width + at] !== value) return false;
  return true;
}

/** One transaction with a statement for each run of similar rows, since decisions are listed in the order of their ids. */
const insertOnSqlite = (db: Db, values: SQLQueryBindings[]): void | Promise<void> =>
  writeSync(db, (writer) => {
    const rows = values.length / width;
    for (let from = 0, to = 0; from < rows; from = to) {
      const alike = isAlike(values, from);
      const end = Math.min(rows, from + sizesOnSqlite[0]!);
      for (to = from + 1; to < end && isAlike(values, to) === alike; ) to += 1;
      const size = sizesOnSqlite.find((one) => one <= to - from)!;
      to = from + size;
      const text = inserts[alike ? 'alike' : 'full'].get(size)!;
      prepared(writer, text).run(...(alike ? boundOf(values, from, to) : values.slice(from * width, to * width)));
    }
  });

function boundOf(values: SQLQueryBindings[], from: number, to: number): SQLQueryBindings[] {
  const bound: SQLQueryBindings[] = [];
  for (let row = from; row < to; row += 1) for (const at of boundAt) bound.push(values[row * width + at]!);
  return bound;
}

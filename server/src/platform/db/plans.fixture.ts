import { type CompiledQuery, sql } from 'kysely';
import { type Db, engineOf } from './tables.ts';

/** A statement and its query plan. */
export interface Looked {
  text: string;
  /** Rows the statement read, whether or not they are in the result; only PostgreSQL counts them. */
  rows: number;
  /** Steps that scan a whole table or sort rows, as named by SQLite. */
  steps: string[];
}

/**
 * Runs `read` and explains every `select` in it, or every statement that matches `which`; each is run again for that.
 */
export async function lookedAt(db: Db, read: () => Promise<unknown>, which = /^\s*select/i): Promise<Looked[]> {
  const seen: CompiledQuery[] = [];
  const executor = db.getExecutor();
  const { executeQuery } = executor;
  executor.executeQuery = function (this: typeof executor, query: CompiledQuery) {
    if (which.test(query.sql)) seen.push(query);
    return executeQuery.call(executor, query);
  } as typeof executeQuery;
  try {
    await read();
  } finally {
    executor.executeQuery = executeQuery;
  }
  const looked: Looked[] = [];
  for (const query of seen) looked.push(await explain(db, query));
  return looked;
}

interface Node {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Node[];
}

async function explain(db: Db, { sql: text, parameters }: CompiledQuery): Promise<Looked> {
  if (engineOf(db) === 'sqlite') {
    const plan = await run<{ detail: string }>(db, `explain query plan ${text}`, parameters);
    return { text, rows: 0, steps: plan.map((row) => row.detail).filter((step) => /^SCAN|TEMP B-TREE/.test(step)) };
  }
  const [row] = await run<{ 'QUERY PLAN': unknown }>(db, `explain (analyze, format json) ${text}`, parameters);
  const found = row!['QUERY PLAN'];
  const [{ Plan }] = (typeof found === 'string' ? JSON.parse(found) : found) as [{ Plan: Node }];
  return { text, rows: rowsOf(Plan), steps: [] };
}

/** The rows that the leaves of the plan returned or discarded. */
function rowsOf(node: Node): number {
  const below = (node.Plans ?? []).reduce((sum, one) => sum + rowsOf(one), 0);
  if (!/Scan/.test(node['Node Type']) || node['Node Type'] === 'Subquery Scan') return below;
  const each =
    node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return below + each * node['Actual Loops'];
}

async function run<R>(db: Db, text: string, parameters: readonly unknown[]): Promise<R[]> {
  const parts = text.split(/(\?|\$\d+)/);
  let next = 0;
  const pieces = parts.map((part) => {
    if (part === '?') return sql`${parameters[next++]}`;
    if (/^\$\d+$/.test(part)) return sql`${parameters[Number(part.slice(1)) - 1]}`;
    return sql.raw(part);
  });
  return (await sql<R>`${sql.join(pieces, sql``)}`.execute(db)).rows;
}

import { CompiledQuery } from 'kysely';
import { execute } from './statement.ts';
import { type Db, engineOf } from './tables.ts';

const texts = new Map<string, CompiledQuery>();

/** Inserts rows of one shape; the statement is written once per number of rows, since building it costs more than running it. */
export async function insertMany<R extends object>(
  db: Db,
  table: string,
  columns: readonly (keyof R & string)[],
  rows: readonly R[],
): Promise<void> {
  if (rows.length === 0) return;
  const engine = engineOf(db);
  const name = `${engine} ${table} ${rows.length}`;
  let compiled = texts.get(name);
  if (!compiled) {
    compiled = CompiledQuery.raw(textOf(engine === 'postgres', table, columns, rows.length));
    texts.set(name, compiled);
  }
  const parameters: unknown[] = [];
  for (const row of rows) for (const column of columns) parameters.push(row[column]);
  await execute(db, compiled, parameters);
}

function textOf(numbered: boolean, table: string, columns: readonly string[], count: number): string {
  let n = 0;
  const mark = () => {
    n += 1;
    return numbered ? `$${n}` : '?';
  };
  const row = () => `(${columns.map(mark).join(', ')})`;
  return `insert into ${table} (${columns.join(', ')}) values ${Array.from({ length: count }, row).join(', ')}`;
}

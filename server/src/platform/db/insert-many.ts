import { CompiledQuery } from 'kysely';
import { execute } from './statement.ts';
import { type Db, type Engine, engineOf } from './tables.ts';

const texts = new Map<string, CompiledQuery>();

/**
 * Inserts rows, given as a flat array of values. The statement is cached per number of rows, since building it costs
 * more than running it.
 */
export async function insertMany(db: Db, table: string, columns: readonly string[], values: unknown[]): Promise<void> {
  const rows = values.length / columns.length;
  if (rows === 0) return;
  const engine = engineOf(db);
  const name = `${engine} ${table} ${rows}`;
  let compiled = texts.get(name);
  if (!compiled) {
    compiled = CompiledQuery.raw(insertText(table, columns, rows, engine));
    texts.set(name, compiled);
  }
  await execute(db, compiled, values);
}

export function insertText(table: string, columns: readonly string[], rows: number, engine: Engine): string {
  let n = 0;
  const mark = () => {
    n += 1;
    return engine === 'postgres' ? `$${n}` : '?';
  };
  const row = () => `(${columns.map(mark).join(', ')})`;
  return `insert into ${table} (${columns.join(', ')}) values ${Array.from({ length: rows }, row).join(', ')}`;
}

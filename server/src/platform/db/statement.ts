import { CompiledQuery } from 'kysely';
import { readSync } from './sqlite-dialect.ts';
import { type Db, type Engine, engineOf } from './tables.ts';

export type Statement = Record<Engine, CompiledQuery>;

/** Hot statements are compiled once: building one per request costs more than running it. */
export const statement = (text: string): Statement => ({
  postgres: CompiledQuery.raw(text),
  sqlite: CompiledQuery.raw(placeholders(text)),
});

/** SQLite uses `?1` where PostgreSQL uses `$1`. */
export const placeholders = (text: string): string => text.replace(/\$(\d+)/g, '?$1');

export const all = <R>(db: Db, { [engineOf(db)]: compiled }: Statement, parameters: unknown[]): Promise<R[]> =>
  execute<R>(db, compiled, parameters);

/** The first row; synchronous on SQLite. */
export const first = <R>(db: Db, query: Statement, parameters: (string | number)[]): R | null | Promise<R | null> =>
  engineOf(db) === 'sqlite'
    ? readSync<R>(db, query.sqlite.sql, parameters)
    : all<R>(db, query, parameters).then(([row]) => row ?? null);

/** Runs a compiled statement with other parameters than it was compiled with. */
export async function execute<R>(db: Db, compiled: CompiledQuery, parameters: unknown[]): Promise<R[]> {
  const { sql, query, queryId } = compiled;
  const result = await db.executeQuery<R>({ sql, query, queryId, parameters } as CompiledQuery<R>);
  return result.rows;
}

import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite';

interface Prepared {
  statement: Statement;
  /** Cached, because reading the column names builds them anew each time. */
  hasRows: boolean;
}

/**
 * bun:sqlite caches the last 20 statements of a handle and prepares all others each time, which costs several times
 * their run; we have a few hundred small ones.
 */
const mostPrepared = 1_000;
const known = new WeakMap<Database, Map<string, Prepared>>();

export function prepare(database: Database, sql: string): Prepared {
  let own = known.get(database);
  if (!own) {
    own = new Map();
    known.set(database, own);
  }
  const found = own.get(sql);
  if (found) return found;
  // Not finalized, because one may be in use.
  if (own.size >= mostPrepared) own.clear();
  const statement = database.prepare(sql);
  const made = { statement, hasRows: statement.columnNames.length > 0 };
  own.set(sql, made);
  return made;
}

/** Use instead of `database.query` for statements that run on every request. */
export const prepared = <R = unknown, P extends SQLQueryBindings[] = SQLQueryBindings[]>(
  database: Database,
  sql: string,
): Statement<R, P> => prepare(database, sql).statement as Statement<R, P>;

import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite';

interface Prepared {
  statement: Statement;
  /** Asked once: the names are built anew at every look. */
  hasRows: boolean;
}

/**
 * bun:sqlite keeps the last 20 statements of a handle and prepares all others anew each time, which costs several times
 * their run; we have a few hundred, and they are all small.
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
  // Not finalized: somebody may be in the middle of using one.
  if (own.size >= mostPrepared) own.clear();
  const statement = database.prepare(sql);
  const made = { statement, hasRows: statement.columnNames.length > 0 };
  own.set(sql, made);
  return made;
}

/** For statements that run for every request, instead of `database.query`. */
export const prepared = <R = unknown, P extends SQLQueryBindings[] = SQLQueryBindings[]>(
  database: Database,
  sql: string,
): Statement<R, P> => prepare(database, sql).statement as Statement<R, P>;

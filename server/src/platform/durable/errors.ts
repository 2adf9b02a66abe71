/** What a thrown error says about the database. `errno` holds PostgreSQL's SQLSTATE, `code` everything else. */
interface Fault {
  code: string;
  state: string;
}

function faultOf(error: unknown): Fault {
  const { code, errno } = (error ?? {}) as { code?: unknown; errno?: unknown };
  return { code: typeof code === 'string' ? code : '', state: typeof errno === 'string' ? errno : '' };
}

/** Connected to a standby, or to a server that was told to take no writes: 25006. */
export const isReadOnly = (error: unknown): boolean => faultOf(error).state === '25006';

/**
 * No connection, no room, or a server that says it is going, coming or full: PostgreSQL's classes 08, 53 and 57. Or one that takes
 * no writes, ended a transaction that stood still (25P03, 25P04), waited for a lock as long as it was told to (55P03) or could not
 * read its disk (58030). The same statement may well succeed a moment later.
 */
export function isAway(error: unknown): boolean {
  const { code, state } = faultOf(error);
  return (
    isReadOnly(error) ||
    /^(08|53|57|25P0[34]|55P03|58030)/.test(state) ||
    /^(ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME)|ECONN|EPIPE|SQLITE_(BUSY|FULL|READONLY|IOERR))/.test(code)
  );
}

/** Away, or a race with another transaction that PostgreSQL broke off: 40001 and 40P01. */
export const mayPass = (error: unknown): boolean => isAway(error) || /^40(001|P01)$/.test(faultOf(error).state);

/** Another connection holds the SQLite file. */
export const isBusy = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(faultOf(error).code);

/** A unique key is in use already; with `table`, one of that table. */
export function isTaken(error: unknown, table = ''): boolean {
  const { code, state } = faultOf(error);
  const taken = state === '23505' || /^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$/.test(code);
  return taken && String((error as Error).message).includes(table);
}

/** Division by zero, by which a statement that must do all or nothing says that a condition does not hold. */
export const isRefused = (error: unknown): boolean => faultOf(error).state === '22012';

/** The parts of an error that identify a database fault. `errno` has PostgreSQL's SQLSTATE, `code` everything else. */
interface Fault {
  code: string;
  state: string;
}

function faultOf(error: unknown): Fault {
  const { code, errno } = (error ?? {}) as { code?: unknown; errno?: unknown };
  return { code: typeof code === 'string' ? code : '', state: typeof errno === 'string' ? errno : '' };
}

/** The server is a standby or otherwise read-only: 25006. */
export const isReadOnly = (error: unknown): boolean => faultOf(error).state === '25006';

/**
 * The database is temporarily unavailable: no connection, no disk space, or a server that is starting, stopping or full
 * (PostgreSQL's classes 08, 53 and 57). Also one that is read-only, ended an idle transaction (25P03, 25P04), hit a
 * lock timeout (55P03) or could not read its disk (58030). The same statement may well succeed a moment later.
 */
export function isUnavailable(error: unknown): boolean {
  const { code, state } = faultOf(error);
  return (
    isReadOnly(error) ||
    /^(08|53|57|25P0[34]|55P03|58030)/.test(state) ||
    /^(ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME)|ECONN|EPIPE|SQLITE_(BUSY|FULL|READONLY|IOERR))/.test(code)
  );
}

/** The same where errors of other connections arrive too, which have the operating system's codes. */
export const isDatabaseAway = (error: unknown): boolean =>
  isUnavailable(error) && !/^(ECONN|EPIPE)/.test(faultOf(error).code);

/** Unavailable, or a conflict with another transaction that PostgreSQL aborted: 40001 and 40P01. */
export const isTransient = (error: unknown): boolean =>
  isUnavailable(error) || /^40(001|P01)$/.test(faultOf(error).state);

/** Another connection has locked the SQLite file. */
export const isBusy = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(faultOf(error).code);

/** A unique constraint was violated; with `table`, one of that table. */
export function isTaken(error: unknown, table = ''): boolean {
  const { code, state } = faultOf(error);
  const taken = state === '23505' || /^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$/.test(code);
  return taken && String((error as Error).message).includes(table);
}

/** A row refers to one that does not exist: mostly one that was deleted at the same moment. */
export function isOrphan(error: unknown): boolean {
  const { code, state } = faultOf(error);
  return state === '23503' || code === 'SQLITE_CONSTRAINT_FOREIGNKEY';
}

/** Division by zero, which all-or-nothing statements use to abort when a condition does not hold. */
export const isConditionFailed = (error: unknown): boolean => faultOf(error).state === '22012';

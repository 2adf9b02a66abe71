import type { Database } from 'bun:sqlite';
import type { OpenDb } from '../../platform/db/open.ts';
import type { HoldStore, ProgressRow } from './port.ts';
import { holdAll, writeHold } from './sqlite-hold.ts';
import { OpenHolds } from './sqlite-open-holds.ts';
import { returnReserves, unreserve } from './sqlite-reserves.ts';
import { settleAll } from './sqlite-settle.ts';
import { logUsage } from './sqlite-usage.ts';

/**
 * Prepared statements inside one synchronous transaction: on SQLite a statement costs microseconds and the commit is what
 * has to be shared.
 */
export function sqliteHoldStore(writeSync: NonNullable<OpenDb['writeSync']>): HoldStore {
  const open = new OpenHolds();
  const write = <T>(work: (db: Database) => T): T | Promise<T> =>
    writeSync(
      (db) => {
        open.begin();
        return work(db);
      },
      () => open.undo(),
    );
  return {
    hold: (rows) => write((db) => holdAll(db, rows, open)),
    settle: (rows) => write((db) => settleAll(db, rows, open)),
    record: (rows) => write((db) => logUsage(db, rows)),
    progress: (rows) => write((db) => noteProgress(db, rows, open)),
    find: (requestId) => open.find(requestId),
    returnReserves: (seenAfter) => write((db) => returnReserves(db, seenAfter)),
  };
}

/** What a request has cost so far must be known apart from the others when the process dies. */
function noteProgress(db: Database, rows: ProgressRow[], open: OpenHolds): void {
  const update = db.query('update billing_holds set progress = ?, progress_usage = ? where request_id = ?');
  for (const { request_id, progress, usage } of rows) {
    const own = open.part(request_id);
    if (!own) update.run(progress, usage, request_id);
    else if (unreserve(db, [own]).length === 0) writeHold(db, own, progress, usage);
  }
}

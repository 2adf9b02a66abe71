import type { Database } from 'bun:sqlite';
import type { OpenDb } from '../../platform/db/open.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { fileEntriesNow } from './filing.ts';
import type { HoldStore, ProgressRow, UsageRow } from './port.ts';
import { holdAll, writeHold } from './sqlite-hold.ts';
import { OpenHolds } from './sqlite-open-holds.ts';
import { returnReserves, unreserve } from './sqlite-reserves.ts';
import { settleAll } from './sqlite-settle.ts';
import { countRequests } from './sqlite-sums.ts';
import { logUsage } from './sqlite-usage.ts';

/** More at a time would cost less each, and make those who wait for the transaction wait for longer. */
const filedAtOnce = 500;

/**
 * Prepared statements inside one synchronous transaction: on SQLite a statement costs microseconds and the commit is what
 * has to be shared.
 */
export function sqliteHoldStore(writeSync: NonNullable<OpenDb['writeSync']>): HoldStore {
  const open = new OpenHolds();
  let unfiled = 0;
  const log = (db: Database, rows: readonly UsageRow[]) => {
    logUsage(db, rows);
    unfiled += rows.length;
    if (unfiled < filedAtOnce) return;
    unfiled = 0;
    fileEntriesNow(db);
  };
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
    settle: (rows) =>
      write((db) => {
        const { settled, logs } = settleAll(db, rows, open);
        log(db, logs);
        return settled;
      }),
    record: (rows) =>
      write((db) => {
        log(db, rows);
        countRequests(db, rows);
      }),
    progress: (rows) => write((db) => noteProgress(db, rows, open)),
    find: (requestId) => open.find(requestId),
    returnReserves: (seenAfter) => write((db) => returnReserves(db, seenAfter)),
  };
}

/** What a request has cost so far must be known apart from the others when the process dies. */
function noteProgress(db: Database, rows: ProgressRow[], open: OpenHolds): void {
  const update = prepared(db, 'update billing_holds set progress = ?, progress_usage = ? where request_id = ?');
  for (const { request_id, progress, usage } of rows) {
    const own = open.part(request_id);
    if (!own) update.run(progress, usage, request_id);
    else if (unreserve(db, [own]).length === 0) writeHold(db, own, progress, usage);
  }
}

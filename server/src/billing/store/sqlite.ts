import type { Database } from 'bun:sqlite';
import { prepared } from '../../platform/db/prepared.ts';
import { writeSync } from '../../platform/db/sqlite-dialect.ts';
import type { Db } from '../../platform/db/tables.ts';
import { fileEntriesNow } from './filing.ts';
import { findHold } from './holds.ts';
import type { HoldStore, ProgressRow, UsageRow } from './port.ts';
import { holdAll, writeHold } from './sqlite-hold.ts';
import { OpenHolds } from './sqlite-open-holds.ts';
import { dropEmptySums, returnReserves, unreserve } from './sqlite-reserves.ts';
import { settleAll } from './sqlite-settle.ts';
import { countRequests } from './sqlite-sums.ts';
import { logUsage } from './sqlite-usage.ts';

/** More at a time would cost less each, and make those who wait for the transaction wait for longer. */
const filedAtOnce = 500;

/**
 * Prepared statements inside one synchronous transaction: on SQLite a statement costs microseconds and the commit is what
 * has to be shared.
 */
export function sqliteHoldStore(db: Db): HoldStore {
  const open = new OpenHolds();
  let unfiled = 0;
  const log = (writer: Database, rows: readonly UsageRow[]) => {
    logUsage(writer, rows);
    unfiled += rows.length;
    if (unfiled < filedAtOnce) return;
    unfiled = 0;
    fileEntriesNow(writer);
  };
  const write = <T>(work: (writer: Database) => T): T | Promise<T> =>
    writeSync(
      db,
      (writer) => {
        open.begin();
        return work(writer);
      },
      () => open.undo(),
    );
  return {
    hold: (rows) => write((writer) => holdAll(writer, rows, open)),
    settle: (rows) =>
      write((writer) => {
        const { settled, logs } = settleAll(writer, rows, open);
        log(writer, logs);
        return settled;
      }),
    record: (rows) =>
      write((writer) => {
        log(writer, rows);
        countRequests(writer, rows);
      }),
    progress: (rows) => write((writer) => noteProgress(writer, rows, open)),
    find: async (requestId) => open.find(requestId) ?? findHold(db, requestId),
    returnReserves: () => write(returnReserves),
    tidy: async () => write(dropEmptySums),
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

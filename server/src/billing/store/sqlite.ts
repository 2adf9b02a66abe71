import type { OpenDb } from '../../platform/db/open.ts';
import type { HoldStore } from './port.ts';
import { holdAll } from './sqlite-hold.ts';
import { settleAll } from './sqlite-settle.ts';
import { logUsage } from './sqlite-usage.ts';

/**
 * Prepared statements inside one synchronous transaction: on SQLite a statement costs microseconds and the commit is what
 * has to be shared.
 */
export function sqliteHoldStore(write: NonNullable<OpenDb['writeSync']>): HoldStore {
  return {
    hold: (rows) => write((db) => holdAll(db, rows)),
    settle: (rows) => write((db) => settleAll(db, rows)),
    record: (rows) => write((db) => logUsage(db, rows)),
    progress: (rows) =>
      write((db) => {
        const update = db.query('update billing_holds set progress = ?, progress_usage = ? where request_id = ?');
        for (const row of rows) update.run(row.progress, row.usage, row.request_id);
      }),
  };
}

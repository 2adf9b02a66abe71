import { StalledError } from '../platform/db/stall-watch.ts';
import { RowsBehind } from '../platform/durable/batch.ts';
import { mayPass } from '../platform/durable/errors.ts';
import type { Log } from '../platform/log.ts';
import type { HoldStore, UsageRow } from './store/port.ts';

/** Usage of requests that cost nothing: off the hot path, written a few times a second. */
export const openFreeLog = (store: HoldStore, log: Log): RowsBehind<UsageRow> =>
  new RowsBehind<UsageRow>({
    everyMs: 250,
    atOnce: 500,
    // Past this the oldest may go, since no money hangs on them.
    mostWaiting: 50_000,
    write: (rows) => lastWord(store.record(rows)),
    failed: (error, rows) => {
      log.error({ error, rows: rows.length }, 'usage log could not be written');
      return mayPass(error);
    },
  });

/**
 * A server that stood still may write the rows after all, and nothing tells a row written twice: nobody waits here, so what
 * becomes of the statement can be awaited.
 */
async function lastWord(writing: void | Promise<void>): Promise<void> {
  try {
    await writing;
  } catch (error) {
    if (!(error instanceof StalledError && error.outcome)) throw error;
    await error.outcome;
  }
}

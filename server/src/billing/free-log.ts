import { RowBuffer } from '../platform/durable/batch.ts';
import type { Log } from '../platform/log.ts';
import type { ChargeQueue } from './charge-queue.ts';
import type { UsageRow } from './store/port.ts';

/** Usage of requests that cost nothing: written in the background a few times a second. */
export const openFreeLog = (queue: ChargeQueue, log: Log, note: (rows: readonly UsageRow[]) => Promise<void>) =>
  new RowBuffer<UsageRow>({
    everyMs: 250,
    atOnce: 500,
    // Beyond this the oldest rows may be dropped, since no money depends on them.
    mostWaiting: 50_000,
    write: async (rows) => {
      const none = { user: null, key: null, kept: null, levels: null };
      const free = { ...none, keyPaid: 0, hasProgressRow: false, resumable: false };
      await Promise.all(rows.map((row) => queue.charge({ ...free, log: row })));
      await note(rows).catch((error) => log.warn({ error }, 'savings from cached answers could not be recorded'));
    },
    failed: (error, rows) => {
      log.error({ error, rows: rows.length }, 'usage log could not be written');
      // Do not retry: the charge queue keeps the rows while the database is away, and rejected rows would be rejected
      // again.
      return false;
    },
  });

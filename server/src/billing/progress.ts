import type { Usage } from '../lib/money.ts';
import { WriteBehind } from '../platform/durable/batch.ts';
import type { Log } from '../platform/log.ts';
import type { ChargeQueue } from './charge-queue.ts';
import { wholeCount } from './rows.ts';
import type { RunningHolds } from './running-holds.ts';
import { type AllotmentStore, type ProgressRow, type Turn, windowsText } from './store/port.ts';
import type { Hold } from './types.ts';
import type { Writer } from './writer.ts';

interface ProgressDeps {
  store: AllotmentStore;
  writer: Writer;
  holds: RunningHolds;
  queue: ChargeQueue;
  log: Log;
}

/**
 * What running streams have cost so far, written once a second for those that changed, so that it is charged if the
 * process dies.
 */
export class Progress {
  readonly #changed = new Map<string, { cost: number; usage: Usage; endpoint: string }>();
  readonly #behind: WriteBehind;

  constructor(readonly deps: ProgressDeps) {
    this.#behind = new WriteBehind({
      everyMs: 1_000,
      write: () => deps.queue.inTurn(() => this.#write()),
      // No retry needed: the next progress row has the same information.
      failed: (error) => deps.log.warn({ error }, 'progress of running requests could not be written'),
    });
  }

  note(hold: Hold, cost: number, usage: Usage, endpoint: string): void {
    if (!hold.stored) return;
    this.#changed.set(hold.requestId, { cost, usage, endpoint });
    this.#behind.soon();
  }

  /**
   * Deletes the progress of a request that turned out to cost nothing. Retries until it succeeds, because the row would
   * be charged if this process died.
   */
  async forget(requestId: string): Promise<void> {
    const { queue, writer, store, log } = this.deps;
    const batch = { logs: [], allotments: [], ended: [requestId] };
    const work = { write: (turn: Turn) => store.charge(turn, batch), written: () => true as const };
    await queue
      .inTurn(() => writer.retryUntilWritten(work, () => {}))
      .catch((error) => log.warn({ error, requestId }, 'the progress of a finished request could not be removed'));
  }

  stop(): Promise<void> {
    return this.#behind.stop();
  }

  /**
   * Runs in turn with the charges: a request that ended meanwhile must not get a row, because nothing would delete it.
   */
  async #write(): Promise<void> {
    const { holds, writer, store } = this.deps;
    const rows: ProgressRow[] = [];
    for (const [id, { cost, usage, endpoint }] of this.#changed) {
      const open = holds.open.get(id);
      if (!open || open.funding.user.lost) continue;
      open.hasProgressRow = true;
      const { hold, createdAt } = open;
      rows.push({
        request_id: id,
        user_id: hold.userId,
        key_id: hold.keyId,
        // The money is part of the allotment, which is returned as a whole.
        amount: 0,
        key_amount: hold.keyUnlimited ? -1 : 0,
        model_id: hold.modelId,
        estimate: '{}',
        owner: writer.owner,
        expires_at: 0,
        created_at: createdAt,
        levels: windowsText(hold.levels?.budgets.map(({ windowId }) => windowId) ?? []),
        progress: wholeCount(cost),
        progress_usage: JSON.stringify({ ...usage, endpoint }),
      });
    }
    this.#changed.clear();
    if (rows.length > 0) await writer.write({ write: (turn) => store.progress(turn, rows), written: () => true });
  }
}

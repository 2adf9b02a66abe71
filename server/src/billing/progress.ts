import type { Usage } from '../lib/money.ts';
import { WriteBehind } from '../platform/durable/batch.ts';
import type { Log } from '../platform/log.ts';
import { wholeCount } from './rows.ts';
import type { HoldStore } from './store/port.ts';
import type { Hold } from './types.ts';

/** What running streams have cost so far, written once a second for those that moved, for the case that we die. */
export class Progress {
  readonly #changed = new Map<string, { cost: number; usage: Usage; endpoint: string }>();
  readonly #behind: WriteBehind;

  constructor(
    readonly store: HoldStore,
    log: Log,
  ) {
    this.#behind = new WriteBehind({
      everyMs: 1_000,
      write: () => this.#write(),
      // The next sign of progress carries the same information.
      failed: (error) => log.warn({ error }, 'progress of running requests could not be written'),
    });
  }

  note(hold: Hold, cost: number, usage: Usage, endpoint: string): void {
    if (!hold.stored) return;
    this.#changed.set(hold.requestId, { cost, usage, endpoint });
    this.#behind.soon();
  }

  forget(hold: Hold): void {
    this.#changed.delete(hold.requestId);
  }

  stop(): Promise<void> {
    return this.#behind.stop();
  }

  #write(): void | Promise<void> {
    if (this.#changed.size === 0) return;
    const rows = [...this.#changed].map(([request_id, { cost, usage, endpoint }]) => ({
      request_id,
      progress: wholeCount(cost),
      usage: JSON.stringify({ ...usage, endpoint }),
    }));
    this.#changed.clear();
    return this.store.progress(rows);
  }
}

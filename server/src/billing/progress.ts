import type { Usage } from '../lib/money.ts';
import type { Log } from '../platform/log.ts';
import { wholeCount } from './rows.ts';
import type { HoldStore } from './store/port.ts';
import type { Hold } from './types.ts';

const flushMs = 1_000;

/** What running streams have cost so far, written once a second for those that moved, for the case that we die. */
export class Progress {
  readonly #changed = new Map<string, { cost: number; usage: Usage; endpoint: string }>();
  #timer: Timer | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(
    readonly store: HoldStore,
    readonly log: Log,
  ) {}

  note(hold: Hold, cost: number, usage: Usage, endpoint: string): void {
    if (!hold.stored) return;
    this.#changed.set(hold.requestId, { cost, usage, endpoint });
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#writing = this.flush();
    }, flushMs);
  }

  forget(hold: Hold): void {
    this.#changed.delete(hold.requestId);
  }

  async flush(): Promise<void> {
    if (this.#changed.size === 0) return;
    const rows = [...this.#changed].map(([request_id, { cost, usage, endpoint }]) => ({
      request_id,
      progress: wholeCount(cost),
      usage: JSON.stringify({ ...usage, endpoint }),
    }));
    this.#changed.clear();
    try {
      await this.store.progress(rows);
    } catch (error) {
      // The next sign of progress carries the same information.
      this.log.warn({ error }, 'progress of running requests could not be written');
    }
  }

  async stop(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#writing;
    await this.flush();
  }
}

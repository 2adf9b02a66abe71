import { StalledError } from '../platform/db/stall-watch.ts';
import type { Log } from '../platform/log.ts';
import { mayPass } from './settle.ts';
import type { HoldStore, UsageRow } from './store/port.ts';

const flushRows = 500;
const flushMs = 250;
/** While the database is away rows wait in memory; past this the oldest go, since no money hangs on them. */
const mostWaiting = 50_000;

/** Usage of requests that cost nothing: off the hot path, written a few times a second. */
export class FreeLog {
  #rows: UsageRow[] = [];
  #timer: Timer | null = null;
  #writing: Promise<void> | null = null;

  constructor(
    readonly store: HoldStore,
    readonly log: Log,
  ) {}

  add(row: UsageRow): void {
    this.#rows.push(row);
    if (this.#rows.length >= flushRows && !this.#writing) void this.flush();
    else this.#arm();
  }

  #arm(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.flush();
    }, flushMs);
  }

  /** Writes all there is; on failure the rows stay for the next time. */
  async flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#writing = (this.#writing ?? Promise.resolve()).then(() => this.#write());
    const mine = this.#writing;
    await mine;
    if (this.#writing === mine) this.#writing = null;
  }

  async #write(): Promise<void> {
    while (this.#rows.length > 0) {
      const batch = this.#rows.splice(0, flushRows);
      try {
        await lastWord(this.store.record(batch));
      } catch (error) {
        this.log.error({ error, rows: batch.length }, 'usage log could not be written');
        if (mayPass(error)) {
          this.#rows = [...batch, ...this.#rows].slice(-mostWaiting);
          this.#arm();
        }
        return;
      }
    }
  }
}

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

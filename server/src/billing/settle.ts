import { mayPass } from '../platform/durable/errors.ts';
import type { Log } from '../platform/log.ts';
import type { HoldStore, SettleRow } from './store/port.ts';
import type { Settled } from './types.ts';

/** Long enough for a database that restarts; then the caller hears of it and the rows are kept for `Overdue`. */
const patienceMs = 30_000;
const pauseMs = 200;

/**
 * Settlements that must not be lost: tried again while the database is away, one by one when a row spoils the batch, and
 * kept for later when nothing helps. The same row written twice changes nothing, since the hold is gone the second time.
 */
export class Settler {
  readonly #overdue = new Map<string, SettleRow>();
  /**
   * Since when nothing could be written; null while all is well. Patience counts from here: batches wait for each other, and
   * with patience of its own each would make the next wait as long again.
   */
  #inVainSince: number | null = null;
  #stopping = false;

  constructor(
    readonly store: Pick<HoldStore, 'settle'>,
    readonly log: Log,
  ) {}

  get overdue(): number {
    return this.#overdue.size;
  }

  /** Ends the waiting of tries under way; what is left stays in the database as a hold. */
  stop(): void {
    this.#stopping = true;
  }

  /** Keeps rows to be settled as soon as the database answers. */
  owe(rows: SettleRow[]): void {
    for (const row of rows) this.#overdue.set(row.request_id, row);
  }

  run = (rows: SettleRow[]): Settled[] | Promise<Settled[]> => {
    try {
      const done = this.store.settle(rows);
      if (done instanceof Promise) return done.then(this.#written, (error) => this.#again(rows, error));
      return this.#written(done);
    } catch (error) {
      return this.#again(rows, error);
    }
  };

  readonly #written = (settled: Settled[]): Settled[] => {
    this.#inVainSince = null;
    return settled;
  };

  async #again(rows: SettleRow[], first: unknown): Promise<Settled[]> {
    if (mayPass(first)) this.#inVainSince ??= performance.now();
    const until = (this.#inVainSince ?? 0) + patienceMs;
    let error = first;
    while (mayPass(error) && performance.now() < until && !this.#stopping) {
      await Bun.sleep(pauseMs);
      try {
        return this.#written(await this.store.settle(rows));
      } catch (next) {
        error = next;
      }
    }
    if (rows.length > 1 && !mayPass(error)) return Promise.all(rows.map((row) => this.#alone(row)));
    this.owe(rows);
    this.log.error({ error, requests: rows.map((row) => row.request_id) }, 'settlement failed; will be tried again');
    throw error;
  }

  /** Of a spoiled batch each row stands for itself, and the one at fault must not fail the others' callers. */
  async #alone(row: SettleRow): Promise<Settled> {
    try {
      return (await this.run([row]))[0]!;
    } catch {
      return { settled: false, charged: 0, shortfall: 0 };
    }
  }

  /** Called now and then: the answer is long given, the charge is still owed. What can never be written is released. */
  async retryOverdue(): Promise<void> {
    for (const [id, row] of [...this.#overdue]) {
      try {
        this.#written(await this.store.settle([row]));
      } catch (error) {
        if (mayPass(error)) return;
        this.log.error({ error, requestId: id }, 'settlement cannot be written; its hold is given back');
        await this.store.settle([{ ...row, log: null }]);
      }
      this.#overdue.delete(id);
    }
  }
}

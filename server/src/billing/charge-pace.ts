/** A larger batch would hold SQLite's synchronous writer for longer than a stream should wait. */
export const mostPerBatch = 256;
/**
 * Share of the time spent writing charges. The lower it is, the more charges share a commit, which costs as much as the
 * rows of ten requests.
 */
const writeShare = 0.4;
/**
 * Wait until this share of the running and just answered requests has joined the batch; otherwise two groups of
 * requests would alternate.
 */
const joinShare = 0.7;
/** Upper bound on the batching delay, even when the database is slow. */
const maxDelayMs = 25;

/** When to write the charges that wait: a charge alone at once, others together with those about to arrive. */
export class ChargePace {
  #startedAtMs = 0;
  /** Duration of the last batch; 0 once the pause after it has been taken. */
  #lastDurationMs = 0;
  /** Clients answered by the last batch usually send their next request right away. */
  #lastSize = 0;
  /** Whether this batch has waited for a turn of the event loop. */
  #waited = false;

  /** `synchronous` if a batch is written when the call returns (SQLite): there is no duration to pace by. */
  constructor(readonly synchronous: boolean) {}

  /** What to wait for before asking again; undefined to write now. */
  pause(waiting: number, running: number): Promise<void> | undefined {
    return this.synchronous ? this.#nextTurn(waiting, running) : this.#rest(waiting, running);
  }

  started(size: number): void {
    this.#startedAtMs = performance.now();
    this.#lastSize = size;
    this.#waited = false;
  }

  ended(): void {
    this.#lastDurationMs = performance.now() - this.#startedAtMs;
  }

  #rest(waiting: number, running: number): Promise<void> | undefined {
    const early = this.#startedAtMs + Math.min(maxDelayMs, this.#lastDurationMs / writeShare) - performance.now();
    const expected = Math.max(running + 1, joinShare * (running + this.#lastSize));
    if (early <= 0 || waiting >= Math.min(mostPerBatch, expected)) return undefined;
    this.#lastDurationMs = 0;
    return Bun.sleep(early);
  }

  /**
   * Waits for one turn of the event loop if more requests are running: in a busy process it answers twice as many, and
   * in an idle one it takes microseconds. Never sleeps, so that batches grow by work that has to be done anyway.
   */
  #nextTurn(waiting: number, running: number): Promise<void> | undefined {
    if (this.#waited || waiting >= Math.min(mostPerBatch, joinShare * (running + waiting))) return undefined;
    this.#waited = true;
    return new Promise(setImmediate);
  }
}

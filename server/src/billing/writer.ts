import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { Db } from '../platform/db/tables.ts';
import { isTransient } from '../platform/durable/errors.ts';
import type { Owners } from '../platform/durable/owners.ts';
import type { Log } from '../platform/log.ts';
import { lastBatch, openWriter } from './store/allotments.ts';
import type { Turn } from './store/port.ts';

const pauseMs = 200;
/**
 * A lost connection is replaced within this time; beyond it the database counts as unavailable and top-ups fail at
 * once.
 */
const hiccupMs = 1_000;
/** This long after a failed write the next one may try, to notice that the database is back. */
const retryAfterMs = 500;

/** Other processes considered this one dead and returned its allotments. */
export class OwnershipLost extends Error {}

/**
 * A process that considered this one dead has taken over the work as well and pays for the call when it repeats it. The
 * code has the prefix of lost connections, so that callers drop the work as for an unavailable database instead of
 * retrying it here.
 */
export class WorkTakenOver extends Error {
  readonly code = 'ERR_POSTGRES_CONNECTION_TAKEN_OVER';

  constructor() {
    super('another process has taken over the work');
  }
}

/** One unit of writing. */
export interface Work<T> {
  write(turn: Turn): MaybePromise<T | null>;
  /** The result if it was written but the response was lost. */
  written(): MaybePromise<T>;
}

/**
 * Serialises the writes to this process's allotments. Every write has a sequence number and only succeeds right after
 * its predecessor. So a repeated write takes effect once, and a write delayed by a stalled server cannot overtake later
 * ones.
 */
export class Writer {
  #owner = '';
  #last = 0;
  #next = 0;
  /** Writes with unknown outcome, by number. */
  readonly #unconfirmed = new Map<number, Work<unknown>>();
  /** Since when all writes have failed; null while they succeed. */
  #failingSinceMs: number | null = null;
  #lastFailureMs = 0;
  stopping = false;

  constructor(
    readonly db: Db,
    readonly owners: Owners,
    readonly log: Log,
  ) {}

  get owner(): string {
    return this.#owner;
  }

  /** For how long all writes have failed. */
  get failingForMs(): number {
    return this.#failingSinceMs === null ? 0 : performance.now() - this.#failingSinceMs;
  }

  get unavailable(): boolean {
    return this.failingForMs > hiccupMs && performance.now() - this.#lastFailureMs < retryAfterMs;
  }

  async open(): Promise<void> {
    const { id } = this.owners;
    await openWriter(this.db, id);
    this.#owner = id;
    this.#last = 0;
    this.#next = 0;
    this.#failingSinceMs = null;
    this.#unconfirmed.clear();
  }

  /** Executes a write; throws database errors and `OwnershipLost`. */
  write<T>(work: Work<T>): MaybePromise<T> {
    this.#next += 1;
    const batch = this.#next;
    try {
      const done = work.write({ owner: this.#owner, batch, after: this.#last });
      if (!(done instanceof Promise)) return done === null ? this.#reconcile(work, batch) : this.#done(batch, done);
      return done.then(
        (value) => (value === null ? this.#reconcile(work, batch) : this.#done(batch, value)),
        (error) => this.#failed(work, batch, error),
      );
    } catch (error) {
      return this.#failed(work, batch, error);
    }
  }

  #done<T>(batch: number, value: T): T {
    this.#last = batch;
    this.#failingSinceMs = null;
    // Writes that were in doubt before this one can no longer take effect.
    if (this.#unconfirmed.size > 0) this.#unconfirmed.clear();
    return value;
  }

  #failed<T>(work: Work<T>, batch: number, error: unknown): never {
    if (isTransient(error)) {
      this.#lastFailureMs = performance.now();
      this.#failingSinceMs ??= this.#lastFailureMs;
      this.#unconfirmed.set(batch, work);
    }
    throw error;
  }

  /** A write that was considered lost did take effect: this one or one before it. */
  async #reconcile<T>(work: Work<T>, batch: number): Promise<T> {
    const last = await lastBatch(this.db, this.#owner);
    if (last === null) throw new OwnershipLost();
    const before = last === batch ? work : this.#unconfirmed.get(last);
    if (!before) throw new Error(`batch ${last} of this process was written by another process`);
    const found = await before.written();
    this.#done(last, found);
    // Either an earlier attempt at this write, or another write that was given up.
    return before === work ? (found as T) : this.write(work);
  }

  /** Retries while the database is unavailable, for as long as the process lives. */
  async retryUntilWritten<T>(work: Work<T>, failed: (error: unknown) => void): Promise<T> {
    for (;;) {
      try {
        return await this.write(work);
      } catch (error) {
        if (!isTransient(error) || this.stopping) throw error;
        failed(error);
        await Bun.sleep(pauseMs);
      }
    }
  }

  /** Registers under a new owner id, without allotments. */
  async rejoin(): Promise<void> {
    while (!this.stopping) {
      try {
        if (this.owners.id === this.#owner) await this.owners.look();
        if (this.owners.id !== this.#owner && this.owners.id !== '') return await this.open();
      } catch (error) {
        if (!isTransient(error)) throw error;
      }
      await Bun.sleep(pauseMs);
    }
  }
}

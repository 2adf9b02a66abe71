import type { Db } from '../platform/db/tables.ts';
import { mayPass } from '../platform/durable/errors.ts';
import type { Owners } from '../platform/durable/owners.ts';
import type { Log } from '../platform/log.ts';
import { lastBatch, openWriter } from './store/allotments.ts';
import type { Now, Turn } from './store/port.ts';

const pauseMs = 200;
/** A connection that was lost is soon replaced; a database that is away for longer is not asked for new money. */
const hiccupMs = 1_000;
/** So long after a write in vain the next may try, else nobody would hear that the database is back. */
const lookAgainMs = 500;

/** What this process kept was given back by others, who took it for dead. */
export class TakenForDead extends Error {}

/**
 * Whoever took this process for dead has its work too, and pays for the same call when it is made again. Begins as the names of
 * lost connections do: the work is left, as by a database that is away, instead of being tried once more here.
 */
export class TakenOver extends Error {
  readonly code = 'ERR_POSTGRES_CONNECTION_TAKEN_OVER';

  constructor() {
    super('the work goes on elsewhere');
  }
}

/** What is written, one at a time. */
export interface Work<T> {
  write(turn: Turn): Now<T | null>;
  /** It was written, though its answer was lost. */
  written(): Now<T>;
}

/**
 * The order in which this process writes its allotments. Every write carries a number, and is carried out only after the one before
 * it: sent twice it is written once, and what a server that stood still carries out late cannot overtake what came after.
 */
export class Writer {
  #owner = '';
  #last = 0;
  #next = 0;
  /** Writes of which nobody knows whether they were carried out, by their number. */
  readonly #doubtful = new Map<number, Work<unknown>>();
  /** Since when nothing could be written; null while all is well. */
  #inVainSince: number | null = null;
  #lastInVain = 0;
  stopping = false;

  constructor(
    readonly db: Db,
    readonly owners: Owners,
    readonly log: Log,
  ) {}

  get owner(): string {
    return this.#owner;
  }

  /** For how long nothing could be written. */
  get inVainMs(): number {
    return this.#inVainSince === null ? 0 : performance.now() - this.#inVainSince;
  }

  get away(): boolean {
    return this.inVainMs > hiccupMs && performance.now() - this.#lastInVain < lookAgainMs;
  }

  async open(): Promise<void> {
    const { id } = this.owners;
    await openWriter(this.db, id);
    this.#owner = id;
    this.#last = 0;
    this.#next = 0;
    this.#inVainSince = null;
    this.#doubtful.clear();
  }

  /** Carries out a write; throws what the database says, and `TakenForDead`. */
  write<T>(work: Work<T>): Now<T> {
    this.#next += 1;
    const batch = this.#next;
    try {
      const done = work.write({ owner: this.#owner, batch, after: this.#last });
      if (!(done instanceof Promise)) return done === null ? this.#notInTurn(work, batch) : this.#done(batch, done);
      return done.then(
        (value) => (value === null ? this.#notInTurn(work, batch) : this.#done(batch, value)),
        (error) => this.#failed(work, batch, error),
      );
    } catch (error) {
      return this.#failed(work, batch, error);
    }
  }

  #done<T>(batch: number, value: T): T {
    this.#last = batch;
    this.#inVainSince = null;
    // Whatever was doubtful before it can no longer be carried out.
    if (this.#doubtful.size > 0) this.#doubtful.clear();
    return value;
  }

  #failed<T>(work: Work<T>, batch: number, error: unknown): never {
    if (mayPass(error)) {
      this.#lastInVain = performance.now();
      this.#inVainSince ??= this.#lastInVain;
      this.#doubtful.set(batch, work);
    }
    throw error;
  }

  /** Something that was given up for lost has been written after all: this one, or one before it. */
  async #notInTurn<T>(work: Work<T>, batch: number): Promise<T> {
    const last = await lastBatch(this.db, this.#owner);
    if (last === null) throw new TakenForDead();
    const before = last === batch ? work : this.#doubtful.get(last);
    if (!before) throw new Error(`batch ${last} of this process was written by somebody else`);
    const found = await before.written();
    this.#done(last, found);
    // An earlier try of the same, or something else that was given up.
    return before === work ? (found as T) : this.write(work);
  }

  /** Again and again while the database is away, for as long as the process lives. */
  async insist<T>(work: Work<T>, failed: (error: unknown) => void): Promise<T> {
    for (;;) {
      try {
        return await this.write(work);
      } catch (error) {
        if (!mayPass(error) || this.stopping) throw error;
        failed(error);
        await Bun.sleep(pauseMs);
      }
    }
  }

  /** Under a new name, with nothing kept. */
  async rejoin(): Promise<void> {
    while (!this.stopping) {
      try {
        if (this.owners.id === this.#owner) await this.owners.look();
        if (this.owners.id !== this.#owner && this.owners.id !== '') return await this.open();
      } catch (error) {
        if (!mayPass(error)) throw error;
      }
      await Bun.sleep(pauseMs);
    }
  }
}

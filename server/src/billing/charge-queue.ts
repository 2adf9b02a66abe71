import type { MaybePromise } from '../lib/maybe-promise.ts';
import { engineOf } from '../platform/db/tables.ts';
import { isTransient } from '../platform/durable/errors.ts';
import { repeat } from '../platform/durable/repeat.ts';
import type { Allotment, Allotments } from './allotment.ts';
import { batchOf, type Charge } from './charge-batch.ts';
import { ChargePace, mostPerBatch } from './charge-pace.ts';
import { keptIn } from './store/allotments.ts';
import type { AllotmentStore, TopUp, TopUpRequest } from './store/port.ts';
import type { Settled } from './types.ts';
import { OwnershipLost, type Work, WorkTakenOver, type Writer } from './writer.ts';

/**
 * Long enough for a database restart. After that the caller gets an error, and the charge is written once the database
 * is back.
 */
const gracePeriodMs = 30_000;

/** Every reader of a balance adds up what more batches changed. */
const mostChanged = 32;

interface PendingCharge {
  charge: Charge;
  done: PromiseWithResolvers<Settled>;
}

interface PendingTopUp {
  allotment: Allotment;
  ask: TopUpRequest;
  done: PromiseWithResolvers<TopUp>;
}

interface ChargeQueueDeps {
  store: AllotmentStore;
  writer: Writer;
  allotments: Allotments;
  /**
   * Number of running requests. If all of them already wait, there is nothing to batch with and the write starts at
   * once.
   */
  running(): number;
  /** Charges the balance directly if the allotment was lost, unless the request was charged before. */
  chargeDirectly(charge: Charge): Promise<Settled>;
}

/**
 * Queue of all writes to this process's allotments, one after the other. Charges that wait meanwhile are written
 * together.
 */
export class ChargeQueue {
  #topUps: PendingTopUp[] = [];
  #charges: PendingCharge[] = [];
  #tasks: (() => Promise<void>)[] = [];
  /** The batch that is being retried while the database is unavailable. */
  #retrying: PendingCharge[] = [];
  readonly #pace: ChargePace;
  /** Batches whose changes are not added up. */
  #changed = 0;
  #running = false;
  #idle: (() => void)[] = [];

  constructor(readonly deps: ChargeQueueDeps) {
    this.#pace = new ChargePace(engineOf(deps.writer.db) === 'sqlite');
  }

  topUp(allotment: Allotment, ask: Omit<TopUpRequest, 'user_id' | 'key_id'>): Promise<TopUp> {
    const done = Promise.withResolvers<TopUp>();
    this.#topUps.push({ allotment, ask: { ...allotment.id, ...ask }, done });
    this.#start();
    return done.promise;
  }

  /** Resolves when the charge is on disk. */
  charge(charge: Charge): Promise<Settled> {
    const done = Promise.withResolvers<Settled>();
    this.#charges.push({ charge, done });
    this.#start();
    return done.promise;
  }

  /** Runs other work in turn with the queued writes. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = Promise.withResolvers<T>();
    this.#tasks.push(() => work().then(done.resolve, done.reject));
    this.#start();
    return done.promise;
  }

  /** Resolves once the queue is empty, including what is added in the meantime. */
  idle(): Promise<void> {
    return this.#running ? new Promise((resolve) => this.#idle.push(resolve)) : Promise.resolve();
  }

  /** While the database is unavailable, top-ups fail at once and charges after a grace period. */
  readonly #onUnavailable = (error: unknown): void => {
    const { writer } = this.deps;
    if (writer.unavailable) for (const { done } of this.#topUps.splice(0)) done.reject(error);
    if (writer.failingForMs <= gracePeriodMs) return;
    for (const { done } of [...this.#retrying, ...this.#charges]) done.reject(error);
    // Charges already tried may have been written and stay queued. Drop untried ones whose answer is withheld, so that
    // nobody pays for it.
    this.#charges = this.#charges.filter(({ charge }) => {
      if (!endsUnanswered(charge)) return true;
      revert(charge);
      return false;
    });
  };

  #start(): void {
    if (this.#running) return;
    this.#running = true;
    setImmediate(this.#drain);
  }

  readonly #drain = async (): Promise<void> => {
    while (this.#topUps.length + this.#charges.length + this.#tasks.length > 0) {
      if (this.#topUps.length > 0) await this.#topUp(this.#topUps.splice(0));
      else if (this.#charges.length > 0) await this.#nextBatch();
      if (this.#changed >= mostChanged) await this.addUp().catch(() => {});
      // One after each batch even under load: other processes may wait for what it returns.
      const work = this.#tasks.shift();
      if (work) await work();
    }
    this.#running = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  };

  #nextBatch(): Promise<void> | undefined {
    // Return instead of writing, so that top-ups that arrive meanwhile go first.
    const pause = this.#pace.pause(this.#charges.length, this.deps.running());
    if (pause) return pause;
    const batch = this.#charges.splice(0, mostPerBatch);
    this.#pace.started(batch.length);
    this.#changed += 1;
    return this.#write(batch)?.finally(() => this.#pace.ended());
  }

  async #topUp(all: PendingTopUp[]): Promise<void> {
    const { store } = this.deps;
    const asking = all.filter(({ allotment, done }) => {
      if (allotment.lost) done.reject(new OwnershipLost());
      return !allotment.lost;
    });
    if (asking.length === 0) return;
    const asks = asking.map(({ ask }) => ask);
    const fill = (tops: TopUp[] | null): TopUp[] | null => {
      for (const [i, { taken, elsewhere, left }] of (tops ?? []).entries()) {
        const { allotment } = asking[i]!;
        allotment.fill(taken);
        allotment.beyond = left + elsewhere;
      }
      return tops;
    };
    const work: Work<TopUp[]> = {
      write: async (turn) => fill(await store.topUp(turn, asks)),
      // The response was lost: derive the amount from the allotments. Other processes may have more, so refuse no
      // request because of this.
      written: async () => {
        const found = await Promise.all(asking.map(({ allotment }) => this.#unaccounted(allotment)));
        return fill(found.map((taken) => ({ taken, elsewhere: 1, left: 0 })))!;
      },
    };
    try {
      const tops = await this.#writeWithRetry(work);
      for (const [i, { done }] of asking.entries()) done.resolve(tops[i]!);
    } catch (error) {
      if (error instanceof OwnershipLost) await this.reset();
      for (const { done } of asking) done.reject(error);
    }
  }

  /** Retries once: the pool may have to replace a connection that the server dropped. */
  async #writeWithRetry<T>(work: Work<T>): Promise<T> {
    try {
      return await this.deps.writer.write(work);
    } catch (error) {
      if (!isTransient(error)) throw error;
      await Bun.sleep(50);
      return this.deps.writer.write(work);
    }
  }

  /** What the database has in an allotment beyond what this process knows of. */
  async #unaccounted(allotment: Allotment): Promise<number> {
    const kept = await keptIn(this.deps.writer.db, this.deps.writer.owner, allotment.id);
    return Math.max(0, kept - allotment.free - allotment.held - allotment.owed);
  }

  /** Synchronous if the database is (SQLite). */
  #write(waiting: PendingCharge[]): Promise<void> | undefined {
    const late = waiting.filter(({ charge }) => charge.user?.lost);
    if (late.length > 0)
      return this.#chargeDirectly(late).then(() => this.#write(waiting.filter((one) => !late.includes(one))));
    if (waiting.length === 0) return undefined;
    const { store, writer } = this.deps;
    const batch = batchOf(waiting.map(({ charge }) => charge));
    const work: Work<true> = { write: (turn) => store.charge(turn, batch), written: () => true };
    let running: MaybePromise<true>;
    try {
      running = writer.write(work);
    } catch (error) {
      return this.#retry(work, waiting, error);
    }
    if (running instanceof Promise)
      return running.then(
        () => markPaid(waiting),
        (error) => this.#retry(work, waiting, error),
      );
    markPaid(waiting);
    return undefined;
  }

  async #retry(work: Work<true>, waiting: PendingCharge[], first: unknown): Promise<void> {
    this.#retrying = waiting;
    try {
      if (!isTransient(first)) throw first;
      this.#onUnavailable(first);
      await Bun.sleep(50);
      await this.deps.writer.retryUntilWritten(work, this.#onUnavailable);
      markPaid(waiting);
    } catch (error) {
      if (error instanceof OwnershipLost) {
        await this.reset();
        await this.#chargeDirectly(waiting);
      } else if (waiting.length > 1 && !isTransient(error))
        // One bad row fails the whole batch: retry the charges one by one.
        for (const one of waiting) await this.#write([one]);
      else giveUp(waiting, error, this.deps.writer);
    } finally {
      this.#retrying = [];
    }
  }

  async #chargeDirectly(waiting: PendingCharge[]): Promise<void> {
    const { writer, chargeDirectly } = this.deps;
    for (const { charge, done } of waiting)
      if (charge.resumable) done.reject(new WorkTakenOver());
      else
        await repeat(() => chargeDirectly(charge), writer.stopping ? { mostTries: 1 } : {}).then(
          done.resolve,
          done.reject,
        );
  }

  /** Adds what batches changed to the rows of the allotments. Call in turn with the other writes. */
  async addUp(): Promise<void> {
    const { store } = this.deps;
    const { addUp } = store;
    if (!addUp || this.#changed === 0) return;
    this.#changed = 0;
    try {
      await this.#writeWithRetry({ write: (turn) => addUp.call(store, turn), written: () => true });
    } catch (error) {
      this.#changed += 1;
      if (error instanceof OwnershipLost) await this.reset();
      throw error;
    }
  }

  /** Discards all allotments and registers anew. Charges against the discarded ones go to the balance directly. */
  async reset(): Promise<void> {
    this.deps.allotments.lose();
    await this.deps.writer.rejoin();
  }
}

function markPaid(waiting: PendingCharge[]): void {
  for (const { charge, done } of waiting) {
    const { quota, shortfall } = charge.log;
    if (charge.user) charge.user.owed -= quota;
    if (charge.key) charge.key.owed -= charge.keyPaid;
    if (charge.levels) for (const [i, window] of charge.levels.windows.entries()) window.owed -= charge.levels.paid[i]!;
    done.resolve({ settled: true, charged: quota, shortfall });
  }
}

/** Rejects charges that can never be written: logs them, and does not charge them. */
function giveUp(waiting: PendingCharge[], error: unknown, { log }: Writer): void {
  for (const { charge, done } of waiting) {
    log.error({ error, requestId: charge.log.request_id }, 'a charge cannot be written');
    if (!isTransient(error)) revert(charge);
    done.reject(error);
  }
}

/**
 * A complete answer is only sent after its charge, so on failure the client gets none. Stored answers are different:
 * they can still be fetched later.
 */
const endsUnanswered = ({ log, kept }: Charge): boolean => log.stream === 0 && log.status === 'ok' && kept === null;

function revert({ log, user, key, keyPaid, levels }: Charge): void {
  user?.revertCharge(log.quota);
  key?.revertCharge(keyPaid);
  if (levels) for (const [i, window] of levels.windows.entries()) window.revertCharge(levels.paid[i]!);
}

import type { Db } from '../platform/db/tables.ts';
import { repeat } from '../platform/durable/repeat.ts';
import type { Log } from '../platform/log.ts';
import type { Shared } from '../platform/shared/port.ts';
import type { Allotment, Allotments } from './allotment.ts';
import type { ChargeQueue } from './charge-queue.ts';
import { emptyAllotments, findWanted, isReservedElsewhere, markWanted } from './store/allotments.ts';
import type { AllotmentId, AllotmentStore, GiveBack } from './store/port.ts';
import { OwnershipLost, type Writer } from './writer.ts';

const channel = 'billing:wanted';
/** How soon other processes get what they are short of if their message does not reach us. */
const lookMs = 500;
/** Allotments unused for this long are returned, so that the balance in the database is close to the real one. */
const idleMs = 60_000;
const tidyMs = 10_000;
/** Much sooner beside processes of an earlier build: they cannot ask for it and would refuse the user. */
const idleBesideEarlierMs = 500;
/** Changes of a process that stopped charging are added up after this. */
const addUpMs = 1_000;
const mostAtOnce = 500;
export const lookAgainMs = 50;
/**
 * Time for other processes to return what they do not need: they are notified at once, and also poll twice a second.
 */
export const patienceMs = 1_500;
/** Every connection of the pool may be dead; each failed try replaces one. */
const lastTries = 10;

interface ReturnsDeps {
  db: Db;
  store: AllotmentStore;
  writer: Writer;
  allotments: Allotments;
  queue: ChargeQueue;
  log: Log;
  shared?: Pick<Shared, 'publish' | 'subscribe'> | undefined;
  /** No other process uses this database. */
  alone: boolean;
}

/**
 * Returns what this process has reserved but does not need: when other processes are short, when it is idle, and on
 * shutdown.
 */
export class AllotmentReturns {
  readonly #timers: Timer[] = [];

  constructor(readonly deps: ReturnsDeps) {}

  async start(): Promise<void> {
    this.#every(tidyMs, () => this.#returnIdle(idleMs));
    if (this.deps.alone) return;
    this.#every(lookMs, async () => {
      if (this.deps.writer.owners.anyEarlierBuild) await this.#returnIdle(idleBesideEarlierMs);
    });
    this.#every(lookMs, async () => {
      for (const id of await findWanted(this.deps.db, this.deps.writer.owner)) await this.#answer(id);
    });
    this.#every(addUpMs, () => this.deps.queue.inTurn(() => this.deps.queue.addUp()));
    await this.deps.shared?.subscribe(channel, (message) => {
      const [from, user_id, key_id] = JSON.parse(message) as [string, number, number];
      if (from !== this.deps.writer.owner) void this.#answer({ user_id, key_id }).catch(() => {});
    });
  }

  #every(ms: number, work: () => Promise<unknown>): void {
    let running = false;
    const timer = setInterval(async () => {
      if (running) return;
      running = true;
      await work().catch((error) => this.deps.log.warn({ error }, 'a reserved allotment could not be returned'));
      running = false;
    }, ms);
    timer.unref();
    this.#timers.push(timer);
  }

  /** Sets a mark that other processes poll, and publishes a message. */
  async askOthers(id: AllotmentId): Promise<void> {
    const { db, shared, writer } = this.deps;
    await markWanted(db, writer.owner, id);
    void shared?.publish(channel, JSON.stringify([writer.owner, id.user_id, id.key_id])).catch(() => {});
  }

  /** Gets back what this and other processes have reserved but do not need; false if there was nothing to get. */
  async recall(ids: AllotmentId[]): Promise<boolean> {
    const { db, writer, alone } = this.deps;
    let some = false;
    for (const id of ids) {
      some = (await this.#giveBack([id])) > 0 || some;
      if (alone || !(await isReservedElsewhere(db, writer.owner, id))) continue;
      some = true;
      await this.askOthers(id);
      await Bun.sleep(lookAgainMs);
    }
    return some;
  }

  async #answer(id: AllotmentId): Promise<void> {
    const allotment = this.deps.allotments.find(id);
    if (allotment) allotment.wantedAtMs = performance.now();
    await this.#giveBack([id]);
  }

  async #returnIdle(unusedMs: number): Promise<void> {
    const before = performance.now() - unusedMs;
    const idle = this.deps.allotments.all().filter((allotment) => allotment.idle && allotment.usedAtMs < before);
    for (let at = 0; at < idle.length; at += mostAtOnce)
      await this.#giveBack(idle.slice(at, at + mostAtOnce).map(({ id }) => id));
  }

  /** Returns what is free in these allotments, or all of an idle one. Resolves to the amount. */
  #giveBack(ids: AllotmentId[]): Promise<number> {
    const { queue, allotments, store, writer } = this.deps;
    return queue.inTurn(async () => {
      // Or the rows would still have what was charged.
      await queue.addUp();
      const given = ids.map((id) => allotments.find(id)).filter((allotment) => allotment !== undefined);
      const rows = given.map(rowOf).filter(({ amount, whole }) => whole || amount > 0);
      if (rows.length === 0) return 0;
      for (const allotment of given) {
        if (allotment.idle) allotments.forget(allotment);
        allotment.beyond += allotment.free;
        allotment.fill(-allotment.free);
      }
      try {
        await writer.retryUntilWritten({ write: (turn) => store.giveBack(turn, rows), written: () => true }, () => {});
      } catch (error) {
        if (!(error instanceof OwnershipLost)) throw error;
        // A process that considered this one dead has already returned everything.
        await queue.reset();
      }
      return rows.reduce((sum, { amount }) => sum + amount, 0);
    });
  }

  /** On shutdown returns everything in one transaction. If the database is unreachable, other processes do it later. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    const { db, writer, allotments, log } = this.deps;
    allotments.lose();
    const empty = () => db.transaction().execute((tx) => emptyAllotments(tx, writer.owner));
    await repeat(empty, { mostTries: lastTries }).catch((error) =>
      log.warn({ error }, 'reserved allotments will be returned by other processes'),
    );
  }
}

const rowOf = (allotment: Allotment): GiveBack => ({ ...allotment.id, amount: allotment.free, whole: allotment.idle });

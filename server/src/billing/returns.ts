import type { Db } from '../platform/db/tables.ts';
import { repeat } from '../platform/durable/repeat.ts';
import type { Log } from '../platform/log.ts';
import type { Shared } from '../platform/shared/port.ts';
import type { Allotment, Allotments } from './allotment.ts';
import type { Line } from './line.ts';
import { emptyAllotments, isElsewhere, want, wantedOf } from './store/allotments.ts';
import type { AllotmentId, AllotmentStore, GiveBack } from './store/port.ts';
import { TakenForDead, type Writer } from './writer.ts';

const channel = 'billing:wanted';
/** How soon others have what they are short of, where no message reaches us. */
const lookMs = 500;
/** What nobody has used for so long goes back: balances are then where they are looked for first. */
const idleMs = 60_000;
const tidyMs = 10_000;
/** The same beside processes of an earlier build, which cannot ask for it and would refuse whoever it belongs to. */
const idleBesideEarlierMs = 500;
const mostAtOnce = 500;
export const lookAgainMs = 50;
/** For others to give back what they do not need: they are asked at once, and look twice a second besides. */
export const patienceMs = 1_500;
/** A pool may have as many dead connections as it has connections. */
const lastTries = 10;

interface ReturnsDeps {
  db: Db;
  store: AllotmentStore;
  writer: Writer;
  allotments: Allotments;
  line: Line;
  log: Log;
  shared?: Pick<Shared, 'publish' | 'subscribe'> | undefined;
  /** No other process has the same database. */
  alone: boolean;
}

/** Gives back what this process keeps and does not need: when others are short of it, when it lies idle, and at the end. */
export class Returns {
  readonly #timers: Timer[] = [];

  constructor(readonly deps: ReturnsDeps) {}

  async start(): Promise<void> {
    this.#every(tidyMs, () => this.#returnIdle(idleMs));
    if (this.deps.alone) return;
    this.#every(lookMs, async () => {
      if (this.deps.writer.owners.someoneEarlier) await this.#returnIdle(idleBesideEarlierMs);
    });
    this.#every(lookMs, async () => {
      for (const id of await wantedOf(this.deps.db, this.deps.writer.owner)) await this.#answer(id);
    });
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
      await work().catch((error) => this.deps.log.warn({ error }, 'what is kept could not be given back'));
      running = false;
    }, ms);
    timer.unref();
    this.#timers.push(timer);
  }

  /** By a mark that they look for, and by message. */
  async askOthers(id: AllotmentId): Promise<void> {
    const { db, shared, writer } = this.deps;
    await want(db, writer.owner, id);
    void shared?.publish(channel, JSON.stringify([writer.owner, id.user_id, id.key_id])).catch(() => {});
  }

  /** Brings back what is kept here and elsewhere; false when there was nothing to be had. */
  async recall(ids: AllotmentId[]): Promise<boolean> {
    const { db, writer, alone } = this.deps;
    let some = false;
    for (const id of ids) {
      some = (await this.#giveBack([id])) > 0 || some;
      if (alone || !(await isElsewhere(db, writer.owner, id))) continue;
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

  /** What is free in them, all of what lies idle. Tells how much that was. */
  #giveBack(ids: AllotmentId[]): Promise<number> {
    const { line, allotments, store, writer } = this.deps;
    return line.inTurn(async () => {
      const given = ids.map((id) => allotments.find(id)).filter((allotment) => allotment !== undefined);
      const rows = given.map(rowOf).filter(({ amount, whole }) => whole || amount > 0);
      if (rows.length === 0) return 0;
      for (const allotment of given) {
        if (allotment.idle) allotments.forget(allotment);
        allotment.beyond += allotment.free;
        allotment.fill(-allotment.free);
      }
      try {
        await writer.insist({ write: (turn) => store.giveBack(turn, rows), written: () => true }, () => {});
      } catch (error) {
        if (!(error instanceof TakenForDead)) throw error;
        // Whoever took this process for dead has given all of it back.
        await line.startAnew();
      }
      return rows.reduce((sum, { amount }) => sum + amount, 0);
    });
  }

  /** At the end everything goes back, in one go; what the database does not hear of, others give back. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    const { db, writer, allotments, log } = this.deps;
    allotments.lose();
    const empty = () => db.transaction().execute((tx) => emptyAllotments(tx, writer.owner));
    await repeat(empty, { mostTries: lastTries }).catch((error) =>
      log.warn({ error }, 'what is kept will be given back by others'),
    );
  }
}

const rowOf = (allotment: Allotment): GiveBack => ({ ...allotment.id, amount: allotment.free, whole: allotment.idle });

import { ChurnMap } from '../lib/churn-map.ts';
import { AppError } from '../lib/errors.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { Allotment, Allotments } from './allotment.ts';
import { lookAgainMs, patienceMs } from './allotment-returns.ts';
import type { Charge } from './charge-batch.ts';
import type { ChargeQueue } from './charge-queue.ts';
import {
  covers,
  type Funding,
  fundingFor,
  fundingForHold,
  hasFree,
  levelChargeOf,
  noteUse,
  type Reserved,
  releaseAll,
  takeExcess,
  takeFromAll,
  waitingOrder,
} from './funding.ts';
import type { Levels } from './levels.ts';
import { wholeCount } from './rows.ts';
import type { AllotmentId, UsageRow } from './store/port.ts';
import type { HeldLevels, Hold, HoldRequest, Settled } from './types.ts';
import { OwnershipLost, type Writer } from './writer.ts';

const askAgainMs = 400;
/** How long this process takes no more than it needs after another process ran out. */
const modestMs = 10_000;

interface OpenHold {
  hold: Hold;
  funding: Funding;
  /** The request has a row with its progress. */
  hasProgressRow: boolean;
  createdAt: number;
}

export const notSettled: Settled = { settled: false, charged: 0, shortfall: 0 };

interface RunningHoldsDeps {
  writer: Writer;
  allotments: Allotments;
  queue: ChargeQueue;
  /** Tells other processes that this allotment is short. */
  askOthers(id: AllotmentId): Promise<void>;
  /** Deletes the row with the progress of a request. */
  forgetProgress(requestId: string): Promise<void>;
}

/** The holds of running requests, taken from allotments and returned to them in memory. */
export class RunningHolds {
  readonly open = new ChurnMap<OpenHold>();
  readonly #taking = new Map<string, Promise<Hold>>();

  constructor(readonly deps: RunningHoldsDeps) {}

  hold(request: HoldRequest, levels: Levels | null, nowSeconds: number): MaybePromise<Hold> {
    const known = this.open.get(request.requestId)?.hold ?? this.#taking.get(request.requestId);
    if (known) return known;
    if (this.deps.writer.unavailable)
      throw new AppError('unavailable', 'The database cannot be reached right now. Try again in a moment.');
    const amount = wholeCount(request.amount);
    const funding = fundingFor(this.deps.allotments, request, levels);
    if (takeFromAll(funding, amount)) return this.#opened(request, amount, funding, levels, nowSeconds);
    return this.#takeLater(request, amount, levels, nowSeconds);
  }

  #takeLater(request: HoldRequest, amount: number, levels: Levels | null, nowSeconds: number): Promise<Hold> {
    const taking = this.#wait(request, amount, levels, nowSeconds).finally(() =>
      this.#taking.delete(request.requestId),
    );
    this.#taking.set(request.requestId, taking);
    return taking;
  }

  #opened(request: HoldRequest, amount: number, funding: Funding, levels: Levels | null, createdAt: number): Hold {
    noteUse(funding, performance.now());
    const { requestId, userId, keyId, modelId } = request;
    const hold: Hold = {
      requestId,
      userId: levels ? levels.payerId : userId,
      keyId: keyId ?? 0,
      keyUnlimited: funding.key === null,
      amount,
      modelId,
      stored: true,
      durable: false,
      levels: levels && heldLevels(levels, userId),
    };
    this.open.set(requestId, { hold, funding, hasProgressRow: false, createdAt });
    return hold;
  }

  /** Takes from each allotment in turn; if one refuses, returns what the others gave. */
  async #wait(request: HoldRequest, amount: number, levels: Levels | null, nowSeconds: number): Promise<Hold> {
    for (;;) {
      const taken: Allotment[] = [];
      try {
        for (const { find, refusal } of waitingOrder(this.deps.allotments, request, levels)) {
          const allotment = find();
          if ((await this.take(allotment, amount)) < amount) throw refusal();
          taken.push(allotment);
        }
        // The allotments were lost while waiting, so some are old and some new: the new ones must not keep a hold
        // without owner.
        if (taken.some(({ lost }) => lost)) throw new OwnershipLost();
        // These are the same allotments: one with a hold is never dropped.
        const funding = fundingFor(this.deps.allotments, request, levels);
        return this.#opened(request, amount, funding, levels, nowSeconds);
      } catch (error) {
        for (const allotment of taken) allotment.pay(amount, 0);
        if (!(error instanceof OwnershipLost)) throw error;
      }
    }
  }

  /**
   * Takes the whole amount or nothing; with `partly`, whatever there is. Never less than all while any process has
   * more.
   */
  take(allotment: Allotment, amount: number, partly = false): MaybePromise<number> {
    if (hasFree(allotment, amount)) return allotment.take(amount);
    const done = Promise.withResolvers<number>();
    allotment.queue.push({ amount, partly, asked: false, untilMs: performance.now() + patienceMs, done });
    if (!allotment.filling) void this.#fill(allotment);
    return done.promise;
  }

  async #fill(allotment: Allotment): Promise<void> {
    allotment.filling = true;
    let askedAtMs = Number.NEGATIVE_INFINITY;
    try {
      for (;;) {
        serve(allotment);
        if (allotment.queue.length === 0) return;
        const now = performance.now();
        const modest = now - allotment.wantedAtMs <= modestMs || this.deps.writer.owners.anyEarlierBuild;
        const missing = whatIsMissing(allotment, !modest);
        const { taken, elsewhere } = await this.deps.queue.topUp(allotment, missing);
        serve(allotment);
        if (taken > 0) continue;
        refuse(allotment, elsewhere === 0 ? Number.POSITIVE_INFINITY : now);
        if (allotment.queue.length === 0 || elsewhere === 0) continue;
        if (now - askedAtMs > askAgainMs) {
          askedAtMs = now;
          await this.deps.askOthers(allotment.id);
        }
        await Bun.sleep(lookAgainMs);
      }
    } catch (error) {
      for (const { done } of allotment.queue.splice(0)) done.reject(error);
    } finally {
      allotment.filling = false;
    }
  }

  /** Ends a hold. A cost beyond the hold is taken as far as the allotment covers it. `log.quota` is the cost. */
  settle(id: string, log: UsageRow, work: ResumableWork): MaybePromise<Settled> {
    const open = this.open.get(id);
    if (!open) return notSettled;
    this.open.delete(id);
    const { funding, hasProgressRow, hold } = open;
    const { user, key } = funding;
    const levels = levelChargeOf(hold, funding);
    const { kept, resumable } = work;
    const charge = { log, user, key, keyPaid: 0, hasProgressRow, kept, resumable, levels };
    // Other processes emptied the allotment: the charge queue charges the balance directly.
    if (user.lost) return this.deps.queue.charge(charge);
    const cost = log.quota;
    const reserved = takeExcess(funding, hold.amount, cost);
    return covers(reserved, cost) ? this.#charge(charge, cost, reserved) : this.#takeRest(charge, cost, reserved);
  }

  /** Charges a request that had no hold because its model was expected to be free. */
  chargeUnheld(log: UsageRow, hold: Hold, work: ResumableWork): Promise<Settled> {
    const funding = fundingForHold(this.deps.allotments, hold);
    const { user, key, windows } = funding;
    const charge = {
      log,
      user,
      key,
      keyPaid: 0,
      hasProgressRow: false,
      ...work,
      levels: levelChargeOf(hold, funding),
    };
    return this.#takeRest(charge, log.quota, { user: 0, key: key ? 0 : log.quota, windows: windows.map(() => 0) });
  }

  async #takeRest(charge: Charging, cost: number, reserved: Reserved): Promise<Settled> {
    const rest = (allotment: Allotment, has: number) => (has < cost ? this.#takeWhatThereIs(allotment, cost - has) : 0);
    reserved.user += await rest(charge.user, reserved.user);
    if (charge.key) reserved.key += await rest(charge.key, reserved.key);
    for (const [i, window] of (charge.levels?.windows ?? []).entries())
      reserved.windows[i]! += await rest(window, reserved.windows[i]!);
    return this.#charge(charge, cost, reserved);
  }

  /** Takes what there is for a cost beyond the hold, so that nobody waits for the database because of it. */
  async #takeWhatThereIs(allotment: Allotment, amount: number): Promise<number> {
    try {
      return await this.take(allotment, amount, true);
    } catch {
      return 0;
    }
  }

  /** Ends the hold in every allotment and queues the charge. */
  #charge(charge: Charging, cost: number, reserved: Reserved): Promise<Settled> {
    const { log, user, key, levels } = charge;
    log.quota = Math.min(cost, reserved.user);
    log.shortfall = cost - log.quota;
    user.pay(reserved.user, log.quota);
    if (key) {
      charge.keyPaid = Math.min(log.quota, reserved.key);
      key.pay(reserved.key, charge.keyPaid);
    }
    if (levels)
      for (const [i, window] of levels.windows.entries()) {
        levels.paid[i] = Math.min(log.quota, reserved.windows[i]!);
        window.pay(reserved.windows[i]!, levels.paid[i]!);
      }
    return this.deps.queue.charge(charge);
  }

  /** Releases a hold. */
  release(id: string): MaybePromise<Settled> {
    const open = this.open.get(id);
    if (!open) return notSettled;
    this.open.delete(id);
    const { funding, hold, hasProgressRow } = open;
    releaseAll(funding, hold.amount);
    if (hasProgressRow) void this.deps.forgetProgress(id);
    return { settled: true, charged: 0, shortfall: 0 };
  }

  /** How many requests run in this process, and how much they hold. */
  sums(): { holds: number; amount: number } {
    const amount = this.deps.allotments.all().reduce((sum, { id, held }) => (id.key_id === 0 ? sum + held : sum), 0);
    return { holds: this.open.size, amount };
  }
}

/** The part of a charge that concerns work which outlives its process. */
export type ResumableWork = Pick<Charge, 'kept' | 'resumable'>;

type Charging = Parameters<ChargeQueue['charge']>[0] & { user: Allotment };

export const heldLevels = (levels: Levels, keyUserId: number): HeldLevels => ({ ...levels, keyUserId });

/** Serves waiters in order of arrival; one that asks for too much does not block those behind it. */
function serve(allotment: Allotment): void {
  const left = allotment.queue.splice(0).filter((waiter) => {
    if (allotment.free < waiter.amount) return true;
    waiter.done.resolve(allotment.take(waiter.amount));
    return false;
  });
  allotment.queue.push(...left);
}

/** Refuses waiters whose deadline has passed and for whom the balance was already asked. */
function refuse(allotment: Allotment, nowMs: number): void {
  const left = allotment.queue.splice(0).filter(({ amount, partly, asked, untilMs, done }) => {
    if (!asked || untilMs > nowMs) return true;
    done.resolve(partly ? allotment.take(amount) : 0);
    return false;
  });
  allotment.queue.push(...left);
}

function whatIsMissing({ queue, free }: Allotment, more: boolean): { need: number; least: number; more: boolean } {
  let need = -free;
  let least = Number.MAX_SAFE_INTEGER;
  for (const waiter of queue) {
    waiter.asked = true;
    need += waiter.amount;
    least = Math.min(least, waiter.partly ? 1 : waiter.amount - free);
  }
  // Upstreams influence these numbers: keep them in the range the statement can take.
  return { need: Math.min(need, Number.MAX_SAFE_INTEGER), least, more };
}

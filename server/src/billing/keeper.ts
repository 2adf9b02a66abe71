import { ChurnMap } from '../lib/churn-map.ts';
import { AppError } from '../lib/errors.ts';
import type { Line } from './line.ts';
import type { Purse, Purses } from './purse.ts';
import { lookAgainMs, patienceMs } from './returns.ts';
import { wholeCount } from './rows.ts';
import type { KeptRow, Now, PurseId, UsageRow } from './store/port.ts';
import type { Hold, HoldOutcome, HoldRequest, Settled } from './types.ts';
import { TakenForDead, type Writer } from './writer.ts';

const askAgainMs = 400;
/** After another process was short, no more than needed is taken for so long. */
const modestMs = 10_000;

interface OpenHold {
  hold: Hold;
  user: Purse;
  key: Purse | null;
  /** It has a row that says how far it has come. */
  noted: boolean;
  createdAt: number;
}

const messages = {
  user_short: ['insufficient_user_quota', 'Your balance does not cover this request.'],
  key_short: [
    'insufficient_key_quota',
    'The quota of this API key, or of this application, does not cover this request.',
  ],
} as const;

export function shortOf(outcome: Exclude<HoldOutcome, 'held'>): AppError {
  const [code, message] = messages[outcome];
  return new AppError(code, message);
}

export const notSettled: Settled = { settled: false, charged: 0, shortfall: 0 };

interface KeeperDeps {
  writer: Writer;
  purses: Purses;
  line: Line;
  /** Tells other processes that somebody is short of this. */
  askOthers(id: PurseId): Promise<void>;
  /** Takes away the row that says how far a request has come. */
  forgetProgress(requestId: string): Promise<void>;
}

/** Holds of running requests: taken from purses and given back to them without asking anybody. */
export class Keeper {
  readonly open = new ChurnMap<OpenHold>();
  readonly #taking = new Map<string, Promise<Hold>>();

  constructor(readonly deps: KeeperDeps) {}

  hold(request: HoldRequest, nowSeconds: number): Now<Hold> {
    const known = this.open.get(request.requestId)?.hold ?? this.#taking.get(request.requestId);
    if (known) return known;
    if (this.deps.writer.away)
      throw new AppError('unavailable', 'The database cannot be reached right now. Try again in a moment.');
    const amount = wholeCount(request.amount);
    const user = this.deps.purses.ofUser(request.userId);
    const key = limitedKey(request) ? this.deps.purses.ofKey(request.userId, request.keyId!) : null;
    if (hasFree(user, amount) && (key === null || hasFree(key, amount))) {
      user.take(amount);
      key?.take(amount);
      return this.#opened(request, amount, user, key, nowSeconds);
    }
    const taking = this.#wait(request, amount, nowSeconds).finally(() => this.#taking.delete(request.requestId));
    this.#taking.set(request.requestId, taking);
    return taking;
  }

  #opened(request: HoldRequest, amount: number, user: Purse, key: Purse | null, createdAt: number): Hold {
    user.usedAtMs = performance.now();
    if (key) key.usedAtMs = user.usedAtMs;
    const { requestId, userId, keyId, modelId } = request;
    const hold: Hold = {
      ...{ requestId, userId, modelId, amount, keyId: keyId ?? 0, keyUnlimited: key === null },
      ...{ stored: true, durable: false },
    };
    this.open.set(requestId, { hold, user, key, noted: false, createdAt });
    return hold;
  }

  /** The user's money first: who has none hears of that, whatever the key has. */
  async #wait(request: HoldRequest, amount: number, nowSeconds: number): Promise<Hold> {
    for (;;) {
      const user = this.deps.purses.ofUser(request.userId);
      const key = limitedKey(request) ? this.deps.purses.ofKey(request.userId, request.keyId!) : null;
      try {
        if ((await this.take(user, amount)) < amount) throw shortOf('user_short');
        if (key && (await this.#takeBeside(key, amount, user)) < amount) throw shortOf('key_short');
        if (user.lost || key?.lost) continue;
        return this.#opened(request, amount, user, key, nowSeconds);
      } catch (error) {
        if (!(error instanceof TakenForDead)) throw error;
      }
    }
  }

  async #takeBeside(key: Purse, amount: number, user: Purse): Promise<number> {
    let taken = 0;
    try {
      taken = await this.take(key, amount);
      return taken;
    } finally {
      if (taken < amount) user.pay(amount, 0);
    }
  }

  /** All of it, or nothing; `partly`, what there is. Never less than all while any process has more of it. */
  take(purse: Purse, amount: number, partly = false): Now<number> {
    if (hasFree(purse, amount)) return purse.take(amount);
    const done = Promise.withResolvers<number>();
    purse.queue.push({ amount, partly, asked: false, untilMs: performance.now() + patienceMs, done });
    if (!purse.filling) void this.#fill(purse);
    return done.promise;
  }

  async #fill(purse: Purse): Promise<void> {
    purse.filling = true;
    let askedAtMs = Number.NEGATIVE_INFINITY;
    try {
      for (;;) {
        serve(purse);
        if (purse.queue.length === 0) return;
        const now = performance.now();
        const modest = now - purse.wantedAtMs <= modestMs || this.deps.writer.owners.someoneEarlier;
        const missing = whatIsMissing(purse, !modest);
        const { taken, elsewhere } = await this.deps.line.topUp(purse, missing);
        serve(purse);
        if (taken > 0) continue;
        refuse(purse, elsewhere === 0 ? Number.POSITIVE_INFINITY : now);
        if (purse.queue.length === 0 || elsewhere === 0) continue;
        if (now - askedAtMs > askAgainMs) {
          askedAtMs = now;
          await this.deps.askOthers(purse.id);
        }
        await Bun.sleep(lookAgainMs);
      }
    } catch (error) {
      for (const { done } of purse.queue.splice(0)) done.reject(error);
    } finally {
      purse.filling = false;
    }
  }

  /** Ends a hold. What it costs beyond is taken as far as there is something. `log.quota` is the cost. */
  settle(id: string, log: UsageRow, kept: KeptRow | null): Now<Settled> {
    const open = this.open.get(id);
    if (!open) return notSettled;
    this.open.delete(id);
    const { user, key, noted, hold } = open;
    const charge = { log, user, key, keyPaid: 0, rest: 0, noted, kept };
    // Charged past the purse, which others have emptied.
    if (user.lost) return this.deps.line.charge(charge);
    const cost = log.quota;
    const beyond = Math.max(0, cost - hold.amount);
    const paid = hold.amount + user.take(beyond);
    const keyPaid = key ? hold.amount + key.take(beyond) : cost;
    if (paid >= cost && keyPaid >= cost) return this.#charge(charge, cost, paid, keyPaid);
    return this.#takeRest(charge, cost, paid, keyPaid);
  }

  /** A model thought free that cost something after all. */
  chargeUnheld(log: UsageRow, keyUnlimited: boolean, kept: KeptRow | null): Promise<Settled> {
    const user = this.deps.purses.ofUser(log.user_id);
    const key = keyUnlimited || log.key_id === 0 ? null : this.deps.purses.ofKey(log.user_id, log.key_id);
    const charge = { log, user, key, keyPaid: 0, rest: 0, noted: false, kept };
    return this.#takeRest(charge, log.quota, 0, key ? 0 : log.quota);
  }

  async #takeRest(charge: Charging, cost: number, paid: number, keyPaid: number): Promise<Settled> {
    const { user, key } = charge;
    const more = paid < cost ? await this.#takeWhatThereIs(user, cost - paid) : 0;
    const moreOfKey = key && keyPaid < cost ? await this.#takeWhatThereIs(key, cost - keyPaid) : 0;
    return this.#charge(charge, cost, paid + more, keyPaid + moreOfKey);
  }

  /** Nobody waits for the database because of what is owed beyond a hold. */
  async #takeWhatThereIs(purse: Purse, amount: number): Promise<number> {
    try {
      return await this.take(purse, amount, true);
    } catch {
      return 0;
    }
  }

  /** `paid` and `keyPaid` are put aside for it. */
  #charge(charge: Charging, cost: number, paid: number, keyPaid: number): Promise<Settled> {
    const { log, user, key } = charge;
    log.quota = Math.min(cost, paid);
    log.shortfall = cost - log.quota;
    user.pay(paid, log.quota);
    charge.rest = user.free - user.moved;
    if (key) {
      charge.keyPaid = Math.min(log.quota, keyPaid);
      key.pay(keyPaid, charge.keyPaid);
    }
    return this.deps.line.charge(charge);
  }

  /** Gives a hold back. */
  release(id: string): Now<Settled> {
    const open = this.open.get(id);
    if (!open) return notSettled;
    this.open.delete(id);
    const { user, key, hold, noted } = open;
    user.pay(hold.amount, 0);
    key?.pay(hold.amount, 0);
    if (noted) void this.deps.forgetProgress(id);
    return { settled: true, charged: 0, shortfall: 0 };
  }

  /** How many requests run here, and what is put aside for them. */
  sums(): { holds: number; amount: number } {
    const amount = this.deps.purses.all().reduce((sum, { id, held }) => (id.key_id === 0 ? sum + held : sum), 0);
    return { holds: this.open.size, amount };
  }
}

type Charging = Parameters<Line['charge']>[0] & { user: Purse };

const limitedKey = ({ keyId, keyUnlimited }: HoldRequest): boolean => keyId !== null && !keyUnlimited;

const hasFree = (purse: Purse, amount: number): boolean => purse.free >= amount && purse.queue.length === 0;

/** In order of arrival; one who asks for too much does not hold up the others. */
function serve(purse: Purse): void {
  const left = purse.queue.splice(0).filter((waiter) => {
    if (purse.free < waiter.amount) return true;
    waiter.done.resolve(purse.take(waiter.amount));
    return false;
  });
  purse.queue.push(...left);
}

/** Those who have waited until now, and for whom the balance was asked. */
function refuse(purse: Purse, nowMs: number): void {
  const left = purse.queue.splice(0).filter(({ amount, partly, asked, untilMs, done }) => {
    if (!asked || untilMs > nowMs) return true;
    done.resolve(partly ? purse.take(amount) : 0);
    return false;
  });
  purse.queue.push(...left);
}

function whatIsMissing({ queue, free }: Purse, more: boolean): { need: number; least: number; more: boolean } {
  let need = -free;
  let least = Number.MAX_SAFE_INTEGER;
  for (const waiter of queue) {
    waiter.asked = true;
    need += waiter.amount;
    least = Math.min(least, waiter.partly ? 1 : waiter.amount - free);
  }
  // No number that an upstream could make large may spoil the statement.
  return { need: Math.min(need, Number.MAX_SAFE_INTEGER), least, more };
}

import { type AllotmentId, windowAllotment } from './store/port.ts';

export interface Waiter {
  amount: number;
  /** Accepts less than asked for if the balance does not cover all of it. */
  partly: boolean;
  /** The balance in the database was already asked for this amount. */
  asked: boolean;
  /** Deadline by which other processes may still return what they do not need. */
  untilMs: number;
  done: PromiseWithResolvers<number>;
}

/**
 * The part of a user's balance, a key's quota or a budget that this process has reserved for itself. In the database it
 * is one amount, `free + held + owed`: taking and releasing a hold changes only memory.
 */
export class Allotment {
  /** Available for new holds. */
  free = 0;
  /** Held by running requests. */
  held = 0;
  /** Charged, but not yet written to the database. */
  owed = 0;
  /**
   * What was left outside this process at the last top-up. Only an estimate: other processes draw on it without telling
   * us.
   */
  beyond = 0;
  /** When a request last took from it. */
  usedAtMs = 0;
  /**
   * When another process last ran out of this balance: for some time after, this process takes no more than it needs.
   */
  wantedAtMs = Number.NEGATIVE_INFINITY;
  /** Other processes considered this one dead and returned its amount to the balance. Holds taken from it are void. */
  lost = false;

  /** Holds waiting for it to be topped up, in order of arrival. */
  readonly queue: Waiter[] = [];
  filling = false;

  constructor(readonly id: AllotmentId) {}

  /** No longer available, though still part of the amount in the database. */
  get taken(): number {
    return this.held + this.owed;
  }

  get idle(): boolean {
    return this.taken === 0 && this.queue.length === 0 && !this.filling;
  }

  /** Holds this amount, or as much as is free. */
  take(amount: number): number {
    const taken = Math.min(amount, this.free);
    this.free -= taken;
    this.held += taken;
    return taken;
  }

  /** Ends a hold and charges this much of it. */
  pay(held: number, charged: number): void {
    this.held -= held;
    this.free += held - charged;
    this.owed += charged;
  }

  /** Reverts a charge that cannot be written. */
  revertCharge(charged: number): void {
    this.owed -= charged;
    this.free += charged;
  }

  fill(amount: number): void {
    this.free += amount;
  }
}

/** All allotments of this process. */
export class Allotments {
  #users = new Map<number, Allotment>();
  #keys = new Map<number, Allotment>();
  #windows = new Map<number, Allotment>();

  ofUser(userId: number): Allotment {
    return this.#users.get(userId) ?? added(this.#users, userId, { user_id: userId, key_id: 0 });
  }

  ofKey(userId: number, keyId: number): Allotment {
    return this.#keys.get(keyId) ?? added(this.#keys, keyId, { user_id: userId, key_id: keyId });
  }

  /** The allotment of one window of a budget. */
  ofWindow(windowId: number): Allotment {
    return this.#windows.get(windowId) ?? added(this.#windows, windowId, windowAllotment(windowId));
  }

  find({ user_id, key_id }: AllotmentId): Allotment | undefined {
    if (key_id < 0) return this.#windows.get(-key_id);
    return key_id === 0 ? this.#users.get(user_id) : this.#keys.get(key_id);
  }

  all(): Allotment[] {
    return [...this.#users.values(), ...this.#keys.values(), ...this.#windows.values()];
  }

  forget({ id }: Allotment): void {
    if (id.key_id === 0) this.#users.delete(id.user_id);
    else if (id.key_id < 0) this.#windows.delete(-id.key_id);
    else this.#keys.delete(id.key_id);
  }

  /** Marks all allotments as lost: other processes have returned their amounts. */
  lose(): void {
    for (const allotment of this.all()) allotment.lost = true;
    this.#users = new Map();
    this.#keys = new Map();
    this.#windows = new Map();
  }
}

function added(allotments: Map<number, Allotment>, name: number, id: AllotmentId): Allotment {
  const allotment = new Allotment(id);
  allotments.set(name, allotment);
  return allotment;
}

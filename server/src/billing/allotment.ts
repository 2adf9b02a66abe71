import { type AllotmentId, windowAllotment } from './store/port.ts';

export interface Waiter {
  amount: number;
  /** Takes less, if that is all there is. */
  partly: boolean;
  /** The balance was asked for it. */
  asked: boolean;
  /** Until then others may give back what they do not need. */
  untilMs: number;
  done: PromiseWithResolvers<number>;
}

/**
 * What this process keeps of a user's money, of a key's quota, or of a budget. On disk it is `free + held + owed`: what a hold takes and
 * gives back changes nothing there.
 */
export class Allotment {
  /** For whoever comes. */
  free = 0;
  /** Put aside for requests that run. */
  held = 0;
  /** Charged, and not written yet. */
  owed = 0;
  /** What came in from the balance less what went back, so that `free - moved` tells what requests alone did to it. */
  moved = 0;
  /** What there was of it outside of this process when it was last filled: others use it too, and say nothing of that. */
  beyond = 0;
  /** When somebody last took from it. */
  usedAtMs = 0;
  /** Another process was short of it at this time: until some time later no more is taken than needed. */
  wantedAtMs = Number.NEGATIVE_INFINITY;
  /** Others have emptied it, since they took this process for dead. What is held from it is held no more. */
  lost = false;

  /** Whoever waits for it to be filled, in order. */
  readonly queue: Waiter[] = [];
  filling = false;

  constructor(readonly id: AllotmentId) {}

  /** What is no longer anybody's to take, though it is still on disk. */
  get taken(): number {
    return this.held + this.owed;
  }

  get idle(): boolean {
    return this.taken === 0 && this.queue.length === 0 && !this.filling;
  }

  /** Puts aside so much, or as much as there is. */
  take(amount: number): number {
    const taken = Math.min(amount, this.free);
    this.free -= taken;
    this.held += taken;
    return taken;
  }

  /** Ends that, with so much of it charged. */
  pay(held: number, charged: number): void {
    this.held -= held;
    this.free += held - charged;
    this.owed += charged;
  }

  /** What was charged cannot be written. */
  unpay(charged: number): void {
    this.owed -= charged;
    this.free += charged;
  }

  fill(amount: number): void {
    this.free += amount;
    this.moved += amount;
  }
}

/** The allotments of this process. */
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

  /** Of a budget, in one of its windows. */
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

  /** Others have emptied all of them. */
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

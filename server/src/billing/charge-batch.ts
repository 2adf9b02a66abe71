import type { Allotment } from './allotment.ts';
import type { AllotmentChange, ChargeBatch, KeptRow, UsageRow } from './store/port.ts';

/** What a request takes from budgets of an organisation, and from limits of whoever pays. */
export interface LevelCharge {
  /** Whose the key is, which need not be who pays. */
  keyUserId: number;
  windows: readonly Allotment[];
  /** Taken from each of them; `log.quota` is what is used of it. */
  paid: number[];
}

/** What a request costs, taken out of its allotments and to be written. */
export interface Charge {
  log: UsageRow;
  /** Null for requests that cost nothing, which need none. */
  user: Allotment | null;
  /** Null where the key has no quota of its own. */
  key: Allotment | null;
  /** Taken from the key's allotment; `log.quota` is what was taken from the user's. */
  keyPaid: number;
  /** `free - moved` of the user's allotment right after it. */
  rest: number;
  /** It has a row that says how far it has come. */
  noted: boolean;
  /** The answer that is written with it. */
  kept: KeptRow | null;
  /** Whoever took this process for dead makes and pays the call as well. */
  goesOn: boolean;
  /** Null where there are none. */
  levels: LevelCharge | null;
}

/** Sums go to each allotment once per batch, since most of a batch is of the same few. */
export function batchOf(charges: Charge[]): ChargeBatch {
  const users = new Changes();
  const keys = new Changes();
  const windows = new Map<number, AllotmentChange>();
  for (const { log, keyPaid, levels } of charges) {
    const ofUser = users.of(log.user_id, 0);
    ofUser.paid += log.quota;
    ofUser.used += log.quota;
    ofUser.requests += 1;
    if (log.quota === 0) continue;
    // Also without a key: limits of one's own hold in the browser too.
    if (levels) addWindows(windows, levels, log.quota);
    if (log.key_id === 0) continue;
    const ofKey = keys.of(levels ? levels.keyUserId : log.user_id, log.key_id);
    ofKey.paid += keyPaid;
    ofKey.used += log.quota;
  }
  let kept: KeptRow[] | undefined;
  for (const { log, user, rest, kept: answer } of charges) {
    log.balance_after = user ? rest + user.moved : 0;
    if (answer === null) continue;
    kept ??= [];
    kept.push(answer);
  }
  return {
    logs: charges.map(({ log }) => log),
    allotments: [...users.all, ...keys.all, ...windows.values()],
    ended: charges.filter(({ noted }) => noted).map(({ log }) => log.request_id),
    kept,
  };
}

/** Found without a name, which would have to be made for every request: most are of whoever came last. */
class Changes {
  readonly all: AllotmentChange[] = [];
  #last: AllotmentChange | undefined;

  of(user_id: number, key_id: number): AllotmentChange {
    if (this.#last?.user_id === user_id && this.#last.key_id === key_id) return this.#last;
    for (const one of this.all) {
      if (one.user_id !== user_id || one.key_id !== key_id) continue;
      this.#last = one;
      return one;
    }
    this.#last = { user_id, key_id, paid: 0, used: 0, requests: 0 };
    this.all.push(this.#last);
    return this.#last;
  }
}

/** By their ids alone, which costs less than names do: a request has one user and one key, and may have many windows. */
function addWindows(changes: Map<number, AllotmentChange>, { windows, paid }: LevelCharge, used: number): void {
  for (let i = 0; i < windows.length; i += 1) {
    const { id } = windows[i]!;
    let change = changes.get(id.key_id);
    if (!change) {
      change = { ...id, paid: 0, used: 0, requests: 0 };
      changes.set(id.key_id, change);
    }
    change.paid += paid[i]!;
    change.used += used;
  }
}

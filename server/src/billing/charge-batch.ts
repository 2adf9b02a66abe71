import type { Allotment } from './allotment.ts';
import type { AllotmentChange, ChargeBatch, KeptRow, UsageRow } from './store/port.ts';

/** What a request takes from an organisation's budgets and from the payer's own spending limits. */
export interface LevelCharge {
  /** The owner of the key, who need not be the payer. */
  keyUserId: number;
  windows: readonly Allotment[];
  /** What was taken from each window; `log.quota` is what the usage counts. */
  paid: number[];
}

/** The cost of a request, already taken from its allotments and waiting to be written. */
export interface Charge {
  log: UsageRow;
  /** Null for requests that cost nothing. */
  user: Allotment | null;
  /** Null if the key has no quota of its own. */
  key: Allotment | null;
  /** What was taken from the key's allotment; `log.quota` is what was taken from the user's. */
  keyPaid: number;
  /** The request has a progress row, which has to be deleted. */
  hasProgressRow: boolean;
  /** The answer to store in the same transaction. */
  kept: KeptRow | null;
  /** A process that considers this one dead repeats the call and pays for it. */
  resumable: boolean;
  /** Null if there are no budgets. */
  levels: LevelCharge | null;
}

/** Adds up the changes per allotment, since most charges of a batch belong to the same few users. */
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
    // Also without a key: a user's own limits apply to requests from the browser too.
    if (levels) addWindows(windows, levels, log.quota);
    if (log.key_id === 0) continue;
    const ofKey = keys.of(levels ? levels.keyUserId : log.user_id, log.key_id);
    ofKey.paid += keyPaid;
    ofKey.used += log.quota;
  }
  let kept: KeptRow[] | undefined;
  for (const { kept: answer } of charges) {
    if (answer === null) continue;
    kept ??= [];
    kept.push(answer);
  }
  return {
    logs: charges.map(({ log }) => log),
    allotments: [...users.all, ...keys.all, ...windows.values()],
    ended: charges.filter(({ hasProgressRow }) => hasProgressRow).map(({ log }) => log.request_id),
    kept,
  };
}

/** Compares ids instead of building a map key per request: most charges belong to the same user as the one before. */
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

/**
 * Keyed by id alone, which is cheaper than a composite key: a request has one user and one key, but maybe many windows.
 */
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

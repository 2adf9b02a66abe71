import { type Clock, nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Usage } from '../lib/money.ts';
import type { OpenDb } from '../platform/db/open.ts';
import { Batcher } from '../platform/durable/batch.ts';
import type { Owners } from '../platform/durable/owners.ts';
import type { Log } from '../platform/log.ts';
import { openFreeLog } from './free-log.ts';
import { Progress } from './progress.ts';
import { holdRow, settleRow, usageRow, wholeCount } from './rows.ts';
import { Settler } from './settle.ts';
import { settleLate } from './settle-late.ts';
import { countHolds } from './store/holds.ts';
import { grantCredits } from './store/ledger.ts';
import type { HeldRow, HoldOutcome, HoldRow, HoldStore, SettleRow } from './store/port.ts';
import { postgresHoldStore } from './store/postgres.ts';
import { sqliteHoldStore } from './store/sqlite.ts';
import type { LedgerRow } from './store/tables.ts';
import { sweepHolds } from './sweep.ts';
import { takeHolds } from './take-holds.ts';
import type { Grant, Hold, HoldRequest, Settled, Settlement, UsageDetail } from './types.ts';

export interface BillingDeps {
  database: OpenDb;
  owners: Owners;
  clock: Clock;
  log: Log;
}

export interface Billing {
  /** Takes the amount from the balance (and the key's quota) or throws `insufficient_user_quota` / `insufficient_key_quota`. */
  hold(request: HoldRequest): Promise<Hold>;
  /**
   * Turns a hold into a charge; resolves when that is on disk, which must be before the last byte of the answer is given to
   * the client, or a crash in between would leave an answered request unpaid. Idempotent.
   */
  settle(hold: Hold, settlement: Settlement): Promise<Settled>;
  /** Gives a hold back: the request failed or produced nothing. Idempotent. */
  release(hold: Hold): Promise<Settled>;
  /** Says what a running stream has cost so far; cheap enough to call for every chunk. Charged if the process dies. */
  progress(hold: Hold, costSoFar: number, usage: Usage, endpoint: string): void;
  /** An open hold by its request id, for work taken over from another process. */
  findHold(requestId: string): Promise<Hold | null>;
  /** Usage of a request that cost nothing and needed no hold. */
  record(who: Pick<HoldRequest, 'requestId' | 'userId' | 'keyId' | 'modelId'>, detail: UsageDetail): void;
  grant(grant: Grant): Promise<LedgerRow>;
  openHolds(): Promise<{ holds: number; amount: number }>;
  /** Settles what dead processes left behind; runs by itself every few seconds. */
  sweep(): Promise<number>;
  /** Writes everything that waits. Call when no request is left. */
  stop(): Promise<void>;
}

const shortMessages = {
  user_short: ['insufficient_user_quota', 'Your balance does not cover this request.'],
  key_short: ['insufficient_key_quota', 'The quota of this API key does not cover this request.'],
} as const;

const holdsOf = (rows: HoldRow[], outcomes: HoldOutcome[]): (Hold | AppError)[] =>
  rows.map((row, i) => {
    const outcome = outcomes[i]!;
    if (outcome === 'held') return toHold(row);
    const [code, message] = shortMessages[outcome];
    return new AppError(code, message);
  });

const openHoldStore = ({ db, engine }: OpenDb): HoldStore =>
  engine === 'postgres' ? postgresHoldStore(db) : sqliteHoldStore(db);

export async function openBilling({ database, owners, clock, log }: BillingDeps): Promise<Billing> {
  const { db } = database;
  const store = openHoldStore(database);
  const settler = new Settler({ settle: settleLate(db, store, () => owners.id) }, log);
  const sweep = async () => {
    const swept = await sweepHolds(db, store, nowSeconds(clock));
    if (swept > 0) log.warn({ swept }, 'settled holds of processes that are gone');
    return swept;
  };
  await sweep();
  owners.onLook(sweep);
  owners.onLook(() => settler.retryOverdue());
  // What it leaves undone costs time only.
  owners.onLook(() =>
    store.tidy().catch((error) => log.warn({ error }, 'the places of settled holds could not be cleared')),
  );
  const take = takeHolds(store, settler);
  const holds = new Batcher<HoldRow, Hold>((rows) => {
    const taken = take(rows);
    return taken instanceof Promise ? taken.then((outcomes) => holdsOf(rows, outcomes)) : holdsOf(rows, taken);
  });
  const settlements = new Batcher<SettleRow, Settled>(settler.run);
  const free = openFreeLog(store, log);
  const running = new Progress(store, log);

  const takeHold = (request: HoldRequest): Promise<Hold> => holds.add(holdRow(request, owners.id, nowSeconds(clock)));

  const billing: Billing = {
    hold: (request) =>
      wholeCount(request.amount) === 0 && !request.durableUntilMs
        ? Promise.resolve(freeHold(request))
        : takeHold(request),
    settle: (given, settlement) => {
      const cost = wholeCount(settlement.cost);
      const log = usageRow(given, settlement, cost, nowSeconds(clock));
      running.forget(given);
      if (given.stored) return settlements.add(settleRow(given, log));
      if (cost === 0) {
        free.add(log);
        return Promise.resolve({ settled: true, charged: 0, shortfall: 0 });
      }
      return chargeUnheld(given, log);
    },
    release: (given) => {
      running.forget(given);
      if (!given.stored) return Promise.resolve({ settled: true, charged: 0, shortfall: 0 });
      return settlements.add(settleRow(given, null));
    },
    progress: (given, cost, usage, endpoint) => running.note(given, cost, usage, endpoint),
    findHold: async (requestId) => {
      const row = await store.find(requestId);
      return row && toHold(row);
    },
    record: (who, detail) => free.add(usageRow({ ...who, keyId: who.keyId ?? 0 }, detail, 0, nowSeconds(clock))),
    grant: (grant) => grantCredits(db, grant, nowSeconds(clock)),
    openHolds: () => countHolds(db),
    sweep,
    stop: async () => {
      settler.stop();
      await Promise.all([holds.idle(), settlements.idle(), running.stop(), free.stop()]);
      await settler.retryOverdue();
    },
  };

  /** A model thought free that cost something after all: an empty hold first, so that this charge happens once too. */
  async function chargeUnheld(given: Hold, log: SettleRow['log']): Promise<Settled> {
    const empty = await takeHold({ ...given, keyId: given.keyId || null, amount: 0 });
    return settlements.add(settleRow(empty, log));
  }
  return billing;
}

const toHold = (row: HeldRow): Hold => ({
  requestId: row.request_id,
  userId: row.user_id,
  keyId: row.key_id,
  keyUnlimited: row.key_amount < 0,
  amount: row.amount,
  modelId: row.model_id,
  stored: true,
});

const freeHold = ({ requestId, userId, keyId, keyUnlimited, modelId }: HoldRequest): Hold => ({
  requestId,
  userId,
  keyId: keyId ?? 0,
  keyUnlimited,
  amount: 0,
  modelId,
  stored: false,
});

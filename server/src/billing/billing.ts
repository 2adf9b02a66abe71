import { type Clock, nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { Usage } from '../lib/money.ts';
import type { OpenDb } from '../platform/db/open.ts';
import type { Owners } from '../platform/durable/owners.ts';
import type { Log } from '../platform/log.ts';
import type { Shared } from '../platform/shared/port.ts';
import { Allotments } from './allotment.ts';
import { AllotmentReturns, patienceMs } from './allotment-returns.ts';
import type { Charge, LevelCharge } from './charge-batch.ts';
import { ChargeQueue } from './charge-queue.ts';
import { openFreeLog } from './free-log.ts';
import { tightestBudgetLeft } from './funding.ts';
import { budgetExceeded, insufficientKeyQuota, insufficientUserQuota } from './insufficient-quota.ts';
import { keepJournal } from './keep-journal.ts';
import type { Levels, LevelsPort } from './levels.ts';
import { Progress } from './progress.ts';
import { durableRow, keptRow, toHold, usageRow, wholeCount } from './rows.ts';
import { heldLevels, notSettled, type ResumableWork, RunningHolds } from './running-holds.ts';
import { countDurable, findDurable, holdDurable, settleIn, settleStored } from './store/holds.ts';
import { grantCredits } from './store/ledger.ts';
import { type AllotmentId, type AllotmentStore, type UsageRow, windowAllotment, windowsText } from './store/port.ts';
import { postgresAllotmentStore } from './store/postgres.ts';
import { noteSavings } from './store/savings.ts';
import { sqliteAllotmentStore } from './store/sqlite.ts';
import type { LedgerRow } from './store/tables.ts';
import { isLogged } from './store/usage.ts';
import { takeOver } from './take-over.ts';
import { keepTotals } from './totals.ts';
import type { Grant, Hold, HoldOutcome, HoldRequest, Settled, Settlement, UsageDetail } from './types.ts';
import { Writer } from './writer.ts';

export interface BillingDeps {
  database: OpenDb;
  owners: Owners;
  /** How processes notify each other; without it they poll twice a second. */
  shared?: Pick<Shared, 'publish' | 'subscribe'>;
  clock: Clock;
  log: Log;
  /** Wraps the store, for tests that inject database failures. */
  through?(store: AllotmentStore): AllotmentStore;
}

export interface Billing {
  /**
   * Takes the amount from the balance, the key's quota and every budget that applies to the key. If one of them is
   * short, takes nothing and throws `insufficient_user_quota`, `insufficient_key_quota` or `budget_exceeded`.
   */
  hold(request: HoldRequest): Promise<Hold>;
  /** What running requests of this process hold of a user's balance or a key's quota. */
  heldBy(userId: number, keyId?: number): number;
  /**
   * Turns a hold into a charge; resolves when the charge is on disk. Await it before sending the last byte of the
   * answer, or a crash in between would leave an answered request unpaid. Idempotent.
   */
  settle(hold: Hold, settlement: Settlement): Promise<Settled>;
  /** Releases a hold, because the request failed or produced nothing. Idempotent. */
  release(hold: Hold): Promise<Settled>;
  /**
   * Reports what a running stream has cost so far, which is charged if the process dies. Cheap enough to call per
   * chunk.
   */
  progress(hold: Hold, costSoFar: number, usage: Usage, endpoint: string): void;
  /** Finds an open hold by its request id, for work taken over from another process. */
  findHold(requestId: string): Promise<Hold | null>;
  /** Logs the usage of a request that cost nothing and had no hold. */
  record(who: Pick<HoldRequest, 'requestId' | 'userId' | 'keyId' | 'modelId'>, detail: UsageDetail): void;
  grant(grant: Grant): Promise<LedgerRow>;
  /** Call after a key's quota was changed: processes return the unused part of what they reserved of the old quota. */
  recallKey(userId: number, keyId: number): Promise<void>;
  /** Roughly what is left of the tightest budget of a hold; null if there is no budget. */
  budgetLeft(hold: Hold): number | null;
  /** Call after budget windows were changed: processes return the unused part of what they reserved of them. */
  recallWindows(windowIds: number[]): Promise<void>;
  /** Enables the budgets of organisations, which the given port looks up. */
  acceptLevels(port: LevelsPort): void;
  openHolds(): Promise<{ holds: number; amount: number }>;
  /** Settles what dead processes left behind; also runs every few seconds. */
  sweep(): Promise<number>;
  /** Flushes everything that is queued. Call when no request is running. */
  stop(): Promise<void>;
}

export async function openBilling(deps: BillingDeps): Promise<Billing> {
  const { database, owners, shared, clock, log, through = (store) => store } = deps;
  const { db, engine } = database;
  const journal = keepJournal(db, log);
  const store = through(engine === 'postgres' ? postgresAllotmentStore(db, journal.noted) : sqliteAllotmentStore(db));
  const writer = new Writer(db, owners, log);
  const allotments = new Allotments();
  const queue = new ChargeQueue({
    ...{ store, writer, allotments },
    running: () => holds.open.size,
    chargeDirectly: (charge) => chargeDirectly(charge),
  });
  const holds = new RunningHolds({
    ...{ writer, allotments, queue },
    askOthers: (id) => returns.askOthers(id),
    forgetProgress: (id) => progress.forget(id),
  });
  const alone = engine === 'sqlite';
  const returns = new AllotmentReturns({ db, store, writer, allotments, queue, log, shared, alone });
  const progress = new Progress({ store, writer, holds, queue, log });
  const free = openFreeLog(queue, log, (rows) => noteSavings(db, rows));
  const now = () => nowSeconds(clock);
  const sweep = async () => {
    const swept = await takeOver(db, now());
    if (swept > 0) log.warn({ swept }, 'settled holds of stopped processes');
    return swept;
  };
  await sweep();
  await writer.open();
  await returns.start();
  owners.onLook(sweep);
  const totals = keepTotals(db, clock, log);

  /** If the attempt does not fit, asks all processes to return what they do not need and tries again. */
  async function withRecall<T>(
    ids: AllotmentId[],
    attempt: () => Promise<T>,
    fits: (result: T) => boolean,
  ): Promise<T> {
    const untilMs = performance.now() + patienceMs;
    for (let last = false; ; ) {
      const result = await attempt();
      if (fits(result) || last) return result;
      // Try once more even if nothing was returned just now: it may have been returned since the attempt.
      last = !(await returns.recall(ids)) || performance.now() > untilMs;
    }
  }

  let levelsPort: LevelsPort | null = null;
  const levelsOf = ({ keyId, userId }: HoldRequest) => levelsPort?.of(keyId, userId) ?? null;

  async function holdDurably(request: HoldRequest, levels: Levels | null): Promise<Hold> {
    const row = durableRow(request, levels, now());
    const ids = [
      { user_id: request.userId, key_id: row.key_id },
      { user_id: row.user_id, key_id: 0 },
      ...(levels?.budgets ?? []).map(({ windowId }) => windowAllotment(windowId)),
    ];
    const held = await withRecall(
      ids,
      () => holdDurable(db, row),
      (outcome) => outcome === 'held',
    );
    if (held !== 'held') throw insufficientQuota(held, request, levels);
    return { ...toHold(row), levels: levels && heldLevels(levels, request.userId) };
  }

  function holdWith(request: HoldRequest, levels: Levels | null): MaybePromise<Hold> {
    if (request.durableUntilMs) return holdDurably(request, levels);
    if (wholeCount(request.amount) === 0) return freeHold(request, levels);
    return holds.hold(request, levels, now());
  }

  const holdAfter = async (request: HoldRequest, levels: Promise<Levels | null>) => holdWith(request, await levels);

  async function grant(given: Grant): Promise<LedgerRow> {
    const user = { user_id: given.userId, key_id: 0 };
    const attempt = () =>
      grantCredits(db, given, now()).catch((error) => {
        if (error instanceof AppError && given.quota < 0) return error;
        throw error;
      });
    const entry = await withRecall([user], attempt, (result) => !(result instanceof AppError));
    if (entry instanceof AppError) throw entry;
    return entry;
  }

  /**
   * Charges a request whose allotment was lost. The process that returned the allotment may have charged it already.
   */
  const chargeDirectly = ({ log: row, key, levels }: Charge): Promise<Settled> =>
    db.transaction().execute(async (tx) => {
      if (await isLogged(tx, row)) return notSettled;
      const none = {
        user_id: row.user_id,
        key_id: row.key_id,
        amount: 0,
        key_amount: key ? 0 : -1,
        levels: windowsIn(levels),
      };
      return settleIn(tx, none, { ...row, quota: row.quota + row.shortfall });
    });

  const settleAs = (given: Hold, row: UsageRow, work: ResumableWork): MaybePromise<Settled> => {
    if (given.durable) return settleStored(db, given.requestId, row, work.kept);
    if (given.stored) return holds.settle(given.requestId, row, work);
    if (row.quota > 0) return holds.chargeUnheld(row, given, work);
    free.add(row);
    return { settled: true, charged: 0, shortfall: 0 };
  };

  const reportUsage = async (row: UsageRow, settling: MaybePromise<Settled>): Promise<Settled> => {
    const settled = await settling;
    if (settled.settled) {
      const { key_id: keyId, user_id: payerId, prompt_tokens, completion_tokens } = row;
      levelsPort?.settled({ keyId, payerId, tokens: prompt_tokens + completion_tokens });
    }
    return settled;
  };

  const billing: Billing = {
    hold: (request) => {
      try {
        const levels = levelsOf(request);
        return levels instanceof Promise ? holdAfter(request, levels) : asPromise(holdWith(request, levels));
      } catch (error) {
        return Promise.reject(error);
      }
    },
    heldBy: (userId, keyId = 0) => allotments.find({ user_id: userId, key_id: keyId })?.taken ?? 0,
    settle: (given, settlement) => {
      try {
        const cost = wholeCount(settlement.cost);
        const row = usageRow(given, settlement, cost, now());
        const kept = settlement.keep ? keptRow(given, settlement.keep, row.created_at) : null;
        const resumable = settlement.keep !== undefined || settlement.resumable === true;
        const settled = settleAs(given, row, { kept, resumable });
        return given.levels || given.durable ? reportUsage(row, settled) : asPromise(settled);
      } catch (error) {
        return Promise.reject(error);
      }
    },
    release: async (given) => {
      if (given.durable) return settleStored(db, given.requestId, null);
      if (given.stored) return holds.release(given.requestId);
      return { settled: true, charged: 0, shortfall: 0 };
    },
    progress: (given, cost, usage, endpoint) => progress.note(given, cost, usage, endpoint),
    findHold: async (requestId) => {
      const open = holds.open.get(requestId);
      if (open) return open.hold;
      const row = await findDurable(db, requestId);
      return row && toHold(row);
    },
    record: (who, detail) => free.add(usageRow({ ...who, keyId: who.keyId ?? 0 }, detail, 0, now())),
    grant,
    recallKey: async (userId, keyId) => {
      await returns.recall([{ user_id: userId, key_id: keyId }]);
    },
    budgetLeft: ({ levels }) => tightestBudgetLeft(allotments, levels),
    recallWindows: async (ids) => {
      await returns.recall(ids.map(windowAllotment));
    },
    acceptLevels: (port) => {
      levelsPort = port;
    },
    openHolds: async () => {
      const durable = await countDurable(db);
      const here = holds.sums();
      return { holds: durable.holds + here.holds, amount: durable.amount + here.amount };
    },
    sweep,
    stop: async () => {
      await free.stop();
      await progress.stop();
      writer.stopping = true;
      await queue.idle();
      await journal.stop();
      await totals.stop();
      await returns.stop();
    },
  };
  return billing;
}

/** Called twice per request, mostly with a plain value: wrapping it is cheaper than an async function. */
const asPromise = <T>(value: MaybePromise<T>): Promise<T> =>
  value instanceof Promise ? value : Promise.resolve(value);

const freeHold = ({ requestId, userId, keyId, keyUnlimited, modelId }: HoldRequest, levels: Levels | null): Hold => ({
  requestId,
  userId: levels ? levels.payerId : userId,
  keyId: keyId ?? 0,
  keyUnlimited,
  amount: 0,
  modelId,
  stored: false,
  durable: false,
  levels: levels && heldLevels(levels, userId),
});

function insufficientQuota(
  held: Exclude<HoldOutcome, 'held'>,
  { userId }: HoldRequest,
  levels: Levels | null,
): AppError {
  if (held === 'user_short') return insufficientUserQuota(levels !== null && levels.payerId !== userId);
  if (held === 'key_short') return insufficientKeyQuota();
  return budgetExceeded(levels!.budgets.find(({ windowId }) => windowId === held)!);
}

const windowsIn = (levels: LevelCharge | null): string =>
  windowsText(levels?.windows.map(({ id }) => -id.key_id) ?? []);

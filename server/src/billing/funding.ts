import type { Allotment, Allotments } from './allotment.ts';
import type { LevelCharge } from './charge-batch.ts';
import { budgetExceeded, insufficientKeyQuota, insufficientUserQuota } from './insufficient-quota.ts';
import type { Levels } from './levels.ts';
import { windowAllotment } from './store/port.ts';
import type { Hold, HoldRequest } from './types.ts';

/** The allotments a request is paid from: the same amount from each, or nothing from any. */
export interface Funding {
  /** The payer's balance. */
  user: Allotment;
  /** Null if the key has no quota of its own. */
  key: Allotment | null;
  /** The budgets that apply. */
  windows: readonly Allotment[];
}

/** Shared by all requests without budgets, to save an allocation. */
const noWindows: readonly Allotment[] = [];

export const fundingFor = (allotments: Allotments, request: HoldRequest, levels: Levels | null): Funding => ({
  user: allotments.ofUser(levels ? levels.payerId : request.userId),
  key: request.keyId !== null && !request.keyUnlimited ? allotments.ofKey(request.userId, request.keyId) : null,
  windows: levels ? windowsOf(allotments, levels) : noWindows,
});

const windowsOf = (allotments: Allotments, { budgets }: Levels): Allotment[] =>
  budgets.map(({ windowId }) => allotments.ofWindow(windowId));

/** The same for a request that was expected to be free. */
export const fundingForHold = (allotments: Allotments, { userId, keyId, keyUnlimited, levels }: Hold): Funding => ({
  user: allotments.ofUser(userId),
  key: keyUnlimited || keyId === 0 ? null : allotments.ofKey(levels?.keyUserId ?? userId, keyId),
  windows: levels ? windowsOf(allotments, levels) : noWindows,
});

export const hasFree = (allotment: Allotment, amount: number): boolean =>
  allotment.free >= amount && allotment.queue.length === 0;

/** Takes the amount from all of them or from none. */
export function takeFromAll({ user, key, windows }: Funding, amount: number): boolean {
  if (!hasFree(user, amount) || (key !== null && !hasFree(key, amount))) return false;
  for (const window of windows) if (!hasFree(window, amount)) return false;
  user.take(amount);
  key?.take(amount);
  for (const window of windows) window.take(amount);
  return true;
}

/** Releases the amount in all of them without charging anything. */
export function releaseAll({ user, key, windows }: Funding, amount: number): void {
  user.pay(amount, 0);
  key?.pay(amount, 0);
  for (const window of windows) window.pay(amount, 0);
}

/**
 * The allotments in the order they are waited for, each with the error to throw if it is short. The user's balance
 * comes first: without balance the user should hear that, whatever key and budgets have left. The order is the same for
 * all requests, which rules out deadlocks. Each allotment is looked up when its turn comes, because an unused one may
 * be returned and dropped in the meantime.
 */
export function waitingOrder(
  allotments: Allotments,
  { userId, keyId, keyUnlimited }: HoldRequest,
  levels: Levels | null,
) {
  const payerId = levels ? levels.payerId : userId;
  return [
    { find: () => allotments.ofUser(payerId), refusal: () => insufficientUserQuota(payerId !== userId) },
    ...(keyId !== null && !keyUnlimited
      ? [{ find: () => allotments.ofKey(userId, keyId), refusal: insufficientKeyQuota }]
      : []),
    ...(levels?.budgets ?? []).map((budget) => ({
      find: () => allotments.ofWindow(budget.windowId),
      refusal: () => budgetExceeded(budget),
    })),
  ];
}

export function noteUse({ user, key, windows }: Funding, nowMs: number): void {
  user.usedAtMs = nowMs;
  if (key) key.usedAtMs = nowMs;
  for (const window of windows) window.usedAtMs = nowMs;
}

export const levelChargeOf = ({ levels }: Hold, { windows }: Funding): LevelCharge | null =>
  levels && { keyUserId: levels.keyUserId, windows, paid: windows.map(() => 0) };

/** What is held for a charge in each of its allotments. */
export interface Reserved {
  user: number;
  /** The cost itself if the key has no quota of its own. */
  key: number;
  windows: number[];
}

const nothing: number[] = [];

/** Takes the cost beyond the hold, as far as the allotments cover it right now. */
export const takeExcess = ({ user, key, windows }: Funding, held: number, cost: number): Reserved => {
  const beyond = Math.max(0, cost - held);
  return {
    user: held + user.take(beyond),
    key: key ? held + key.take(beyond) : cost,
    windows: windows.length === 0 ? nothing : takeOfEach(windows, held, beyond),
  };
};

const takeOfEach = (windows: readonly Allotment[], held: number, beyond: number): number[] =>
  windows.map((window) => held + window.take(beyond));

export function covers({ user, key, windows }: Reserved, cost: number): boolean {
  for (const reserved of windows) if (reserved < cost) return false;
  return user >= cost && key >= cost;
}

/**
 * What is left of the tightest hard budget, as far as this process knows: it learns of usage in other processes when it
 * tops up its allotment. Null if there is no hard budget.
 */
export function tightestBudgetLeft(allotments: Allotments, levels: Levels | null): number | null {
  let least: number | null = null;
  for (const { hard, windowId } of levels?.budgets ?? []) {
    const allotment = hard ? allotments.find(windowAllotment(windowId)) : undefined;
    if (!allotment) continue;
    const left = Math.max(0, allotment.free + allotment.beyond);
    least = least === null ? left : Math.min(least, left);
  }
  return least;
}

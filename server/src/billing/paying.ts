import type { LevelCharge } from './charge-batch.ts';
import type { Levels } from './levels.ts';
import type { Purse, Purses } from './purse.ts';
import { budgetExceeded, keyShort, userShort } from './short.ts';
import { windowPurse } from './store/port.ts';
import type { Hold, HoldRequest } from './types.ts';

/** The purses that a request is paid from: of each the same amount, or of none. */
export interface Paying {
  /** Of whoever pays. */
  user: Purse;
  /** Null where the key has no quota of its own. */
  key: Purse | null;
  /** Of the budgets of an organisation. */
  windows: readonly Purse[];
}

/** Outside of organisations, where nothing is made for it. */
const noWindows: readonly Purse[] = [];

export const payingFor = (purses: Purses, request: HoldRequest, levels: Levels | null): Paying => ({
  user: purses.ofUser(levels ? levels.payerId : request.userId),
  key: request.keyId !== null && !request.keyUnlimited ? purses.ofKey(request.userId, request.keyId) : null,
  windows: levels ? levels.budgets.map(({ windowId }) => purses.ofWindow(windowId)) : noWindows,
});

/** The same for a request that was thought free. */
export const payingForHold = (purses: Purses, { userId, keyId, keyUnlimited, levels }: Hold): Paying => ({
  user: purses.ofUser(userId),
  key: keyUnlimited || keyId === 0 ? null : purses.ofKey(levels?.keyUserId ?? userId, keyId),
  windows: levels ? levels.budgets.map(({ windowId }) => purses.ofWindow(windowId)) : noWindows,
});

export const hasFree = (purse: Purse, amount: number): boolean => purse.free >= amount && purse.queue.length === 0;

/** Takes the amount from all of them, or from none. */
export function takeAtOnce({ user, key, windows }: Paying, amount: number): boolean {
  if (!hasFree(user, amount) || (key !== null && !hasFree(key, amount))) return false;
  for (const window of windows) if (!hasFree(window, amount)) return false;
  user.take(amount);
  key?.take(amount);
  for (const window of windows) window.take(amount);
  return true;
}

/** Ends that for all of them, with nothing charged. */
export function giveBackAll({ user, key, windows }: Paying, amount: number): void {
  user.pay(amount, 0);
  key?.pay(amount, 0);
  for (const window of windows) window.pay(amount, 0);
}

/**
 * In the order in which they are waited for, with the word for whoever is short of them. The user's money first: who has none
 * hears of that, whatever the key and the budgets have. All wait in the same order, so that nobody waits in a circle. Each is
 * found when its turn comes: one that nobody uses may be given back meanwhile.
 */
export function inOrder(purses: Purses, { userId, keyId, keyUnlimited }: HoldRequest, levels: Levels | null) {
  const payerId = levels ? levels.payerId : userId;
  return [
    { find: () => purses.ofUser(payerId), short: () => userShort(payerId !== userId) },
    ...(keyId !== null && !keyUnlimited ? [{ find: () => purses.ofKey(userId, keyId), short: keyShort }] : []),
    ...(levels?.budgets ?? []).map((budget) => ({
      find: () => purses.ofWindow(budget.windowId),
      short: () => budgetExceeded(budget),
    })),
  ];
}

export function noteUse({ user, key, windows }: Paying, nowMs: number): void {
  user.usedAtMs = nowMs;
  if (key) key.usedAtMs = nowMs;
  for (const window of windows) window.usedAtMs = nowMs;
}

export const levelChargeOf = ({ levels }: Hold, { windows }: Paying): LevelCharge | null =>
  levels && { keyUserId: levels.keyUserId, windows, paid: windows.map(() => 0) };

/** What is put aside for a charge in each of its purses. */
export interface PutAside {
  user: number;
  /** The cost itself where the key has no quota of its own. */
  key: number;
  windows: number[];
}

const nothing: number[] = [];

/** Beyond the hold, as far as the purses have it at once. */
export const takeBeyond = ({ user, key, windows }: Paying, held: number, cost: number): PutAside => {
  const beyond = Math.max(0, cost - held);
  return {
    user: held + user.take(beyond),
    key: key ? held + key.take(beyond) : cost,
    windows: windows.length === 0 ? nothing : windows.map((window) => held + window.take(beyond)),
  };
};

export const covers = ({ user, key, windows }: PutAside, cost: number): boolean =>
  user >= cost && key >= cost && windows.every((aside) => aside >= cost);

/**
 * What is left of the hard budget of which least is left, as far as this process knows: of what others use it hears when it
 * fills its purse. Null where there is none.
 */
export function leastLeft(purses: Purses, levels: Levels | null): number | null {
  let least: number | null = null;
  for (const { hard, windowId } of levels?.budgets ?? []) {
    const purse = hard ? purses.find(windowPurse(windowId)) : undefined;
    if (!purse) continue;
    const left = Math.max(0, purse.free + purse.beyond);
    least = least === null ? left : Math.min(least, left);
  }
  return least;
}

import { closeAccount } from '../identity/close-account.ts';
import type { Job } from '../platform/durable/jobs.ts';
import type { AccountDataDeps } from './deps.ts';

export const deletionQueue = 'accounts.delete';

/** Answers under way when an account closes may still write something; the second pass finds it. */
const secondPassMs = 15 * 60_000;
/** Tries at doubling waits: hours of a database that is away, not minutes. */
const maxAttempts = 20;

/**
 * The work is durable before anything is changed: a crash at any moment leads to the end all the same. Ways in end before
 * this resolves; the rest follows.
 */
export async function deleteAccount(deps: AccountDataDeps, userId: number): Promise<void> {
  const data = { userId };
  await deps.jobs.enqueue(deletionQueue, data, { key: `${userId}`, maxAttempts });
  await deps.jobs.enqueue(deletionQueue, data, { key: `${userId}-again`, delayMs: secondPassMs, maxAttempts });
  await closeAccount(deps.accounts, userId);
}

/** Every step may be repeated. */
export async function forgetEverywhere(deps: AccountDataDeps, userId: number, signal?: Job['signal']): Promise<void> {
  await closeAccount(deps.accounts, userId);
  await forgetInRooms(deps, userId, signal);
  deps.log.info({ userId }, 'a user was deleted');
}

/** All that is kept for an account. */
export async function forgetInRooms(deps: AccountDataDeps, userId: number, signal?: Job['signal']): Promise<void> {
  const faults: unknown[] = [];
  for (const room of Object.values(deps.rooms)) {
    signal?.throwIfAborted();
    // What one of them cannot do yet keeps none of the others from it.
    await room.forget(userId).catch((error) => faults.push(error));
  }
  if (faults.length > 0) throw faults[0];
}

import { closeAccount } from '../identity/close-account.ts';
import type { Job } from '../platform/durable/jobs.ts';
import type { AccountDataDeps } from './deps.ts';

export const deletionQueue = 'accounts.delete';

/** Answers in progress when an account closes may still be written; the second pass deletes them. */
const secondPassMs = 15 * 60_000;
/** Attempts with doubling delays, enough to survive hours of database downtime. */
const maxAttempts = 20;

/**
 * The work is made durable before anything changes, so that a crash at any moment cannot leave it unfinished. Sign-ins
 * and keys are revoked before this resolves; the rest follows.
 */
export async function deleteAccount(deps: AccountDataDeps, userId: number): Promise<void> {
  const data = { userId };
  await deps.jobs.enqueue(deletionQueue, data, { key: `${userId}`, maxAttempts });
  await deps.jobs.enqueue(deletionQueue, data, { key: `${userId}-again`, delayMs: secondPassMs, maxAttempts });
  await closeAccount(deps.accounts, userId);
}

/** Every step is idempotent. */
export async function forgetEverywhere(deps: AccountDataDeps, userId: number, signal?: Job['signal']): Promise<void> {
  await closeAccount(deps.accounts, userId);
  await forgetInModules(deps, userId, signal);
  deps.log.info({ userId }, 'a user was deleted');
}

/** Deletes everything stored for an account. */
export async function forgetInModules(deps: AccountDataDeps, userId: number, signal?: Job['signal']): Promise<void> {
  const faults: unknown[] = [];
  for (const room of Object.values(deps.rooms)) {
    signal?.throwIfAborted();
    // A failure in one room must not keep the others from deleting.
    await room.forget(userId).catch((error) => faults.push(error));
  }
  if (faults.length > 0) throw faults[0];
}

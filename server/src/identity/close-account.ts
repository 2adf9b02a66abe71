import { AppError } from '../lib/errors.ts';
import { randomString } from '../lib/ids.ts';
import type { AccountDeps } from './accounts.ts';
import { confirmOwner, type Shown } from './confirm-owner.ts';
import { hashPassword } from './passwords.ts';
import type { SessionPrincipal } from './principals.ts';
import { forget } from './store/account-data.ts';
import { roles } from './user.ts';

const refusals = {
  missing: 'password is required to delete the account.',
  late: 'Log in again first. You can delete an account without a password within 15 minutes of logging in.',
};

/** The route itself requires a recent second factor. */
export async function confirmClosing(deps: AccountDeps, principal: SessionPrincipal, shown: Shown): Promise<void> {
  if (principal.user.role >= roles.root) throw new AppError('forbidden', 'The root user cannot be deleted.');
  await confirmOwner(deps, principal, shown, refusals);
}

/** Ends sessions and keys at once, in every process; idempotent. */
export async function closeAccount(deps: AccountDeps, userId: number): Promise<void> {
  await forget(deps.db, userId, await hashPassword(randomString(48)));
  await deps.announcements.changed(`user:${userId}`);
}

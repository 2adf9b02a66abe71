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
  late: 'Log in again first: an account without a password can be deleted within 15 minutes of that.',
};

/** Of a second factor the route itself asks for a fresh proof. */
export async function confirmClosing(deps: AccountDeps, principal: SessionPrincipal, shown: Shown): Promise<void> {
  if (principal.user.role >= roles.root) throw new AppError('forbidden', 'The root user cannot be deleted.');
  await confirmOwner(deps, principal, shown, refusals);
}

/** Sessions and keys end at once, on every process; may be repeated. */
export async function closeAccount(deps: AccountDeps, userId: number): Promise<void> {
  await forget(deps.db, userId, await hashPassword(randomString(48)));
  await deps.announcements.changed(`user:${userId}`);
}

import { AppError } from '../lib/errors.ts';
import { randomString } from '../lib/ids.ts';
import { type AccountDeps, login } from './accounts.ts';
import { hashPassword, hasPassword } from './passwords.ts';
import { forget } from './store/account-data.ts';
import { findUserRow } from './store/users.ts';
import { roles, type User } from './user.ts';

/** Somebody who found an unlocked screen must not be able to delete the account: the password is asked for, and throttled. */
export async function confirmClosing(deps: AccountDeps, user: User, password: string, ip: string): Promise<void> {
  if (user.role >= roles.root) throw new AppError('forbidden', 'The root user cannot be deleted.');
  const row = await findUserRow(deps.db, user.id);
  if (row && !hasPassword(row.password_hash))
    throw new AppError('invalid_value', 'This account has no password. Set one on this page first.', {
      param: 'password',
    });
  await login(deps, { username: user.username, password, ip }).catch((error) => {
    if (error instanceof AppError && error.code === 'wrong_credentials')
      throw new AppError('invalid_value', 'The password is wrong.', { param: 'password' });
    throw error;
  });
}

/** Sessions and keys end at once, on every process; may be repeated. */
export async function closeAccount(deps: AccountDeps, userId: number): Promise<void> {
  await forget(deps.db, userId, await hashPassword(randomString(48)));
  await deps.announcements.changed(`user:${userId}`);
}

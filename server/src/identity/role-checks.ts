import { AppError } from '../lib/errors.ts';
import type { Db } from '../platform/db/tables.ts';
import { findUserRow, type UserRow } from './store/users.ts';
import { roles, type User } from './user.ts';

/** Any user may be viewed. */
export async function requireUser(db: Db, userId: number): Promise<UserRow> {
  const user = await findUserRow(db, userId);
  if (!user) throw new AppError('not_found', 'There is no such user.');
  return user;
}

type Acting = Pick<User, 'role'>;

/**
 * Administrators can only act on users below their own role, so not on themselves. `verb` completes "You cannot … a
 * user of your own role or higher".
 */
export async function requireLowerRole(db: Db, acting: Acting, userId: number, verb: string): Promise<UserRow> {
  const target = await requireUser(db, userId);
  if (target.role >= acting.role)
    throw new AppError('forbidden', `You cannot ${verb} a user of your own role or higher.`);
  return target;
}

/** The same for acts that neither grant nor revoke access: root may do them on anyone. */
export async function requireManageable(db: Db, acting: Acting, userId: number, verb: string): Promise<void> {
  if (acting.role < roles.root) await requireLowerRole(db, acting, userId, verb);
}

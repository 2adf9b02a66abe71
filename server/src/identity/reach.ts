import { AppError } from '../lib/errors.ts';
import type { Db } from '../platform/db/tables.ts';
import { findUserRow, type UserRow } from './store/users.ts';
import { roles, type User } from './user.ts';

/** Looking reaches everybody. */
export async function requireUser(db: Db, userId: number): Promise<UserRow> {
  const user = await findUserRow(db, userId);
  if (!user) throw new AppError('not_found', 'There is no such user.');
  return user;
}

type Acting = Pick<User, 'role'>;

/**
 * An administrator reaches only below: neither users of a role like its own or higher, so not itself, nor what is theirs.
 * `verb` completes "You cannot … a user of your own role or higher".
 */
export async function userBelow(db: Db, acting: Acting, userId: number, verb: string): Promise<UserRow> {
  const target = await requireUser(db, userId);
  if (target.role >= acting.role)
    throw new AppError('forbidden', `You cannot ${verb} a user of your own role or higher.`);
  return target;
}

/** The same for what neither takes nor gives access to an account: root, who answers for everything, may do it anywhere. */
export async function userWithinReach(db: Db, acting: Acting, userId: number, verb: string): Promise<void> {
  if (acting.role < roles.root) await userBelow(db, acting, userId, verb);
}

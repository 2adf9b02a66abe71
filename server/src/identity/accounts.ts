import { type Clock, nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { randomString } from '../lib/ids.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Shared } from '../platform/shared/port.ts';
import type { Announcements } from './announce.ts';
import type { Options } from './options.ts';
import { checkPassword, hashPassword } from './passwords.ts';
import type { Sessions } from './sessions.ts';
import {
  changeUser,
  countUsers,
  findUserByName,
  findUserRow,
  insertUser,
  toUser,
  type UserChange,
} from './store/users.ts';
import { roles, sameName, statuses, type User } from './user.ts';

export interface AccountDeps {
  db: Db;
  shared: Shared;
  clock: Clock;
  options: Options;
  sessions: Sessions;
  announcements: Announcements;
}

const mostFailures = 10;
const failureWindowMs = 15 * 60_000;
const rootQuota = 50_000_000;

export interface Registration {
  username: string;
  password: string;
  email?: string;
  display_name?: string;
}

export async function register(deps: AccountDeps, input: Registration): Promise<User> {
  if (!deps.options.get('RegistrationEnabled'))
    throw new AppError('forbidden', 'Registration is closed. Ask an administrator for an account.');
  const user = await insertUser(deps.db, {
    username: input.username,
    password_hash: await hashPassword(input.password),
    display_name: input.display_name ?? input.username,
    email: input.email ?? '',
    role: roles.user,
    quota: deps.options.get('QuotaForNewUser'),
    created_at: nowSeconds(deps.clock),
  });
  if (!user) throw new AppError('conflict', 'This username is taken.', { param: 'username' });
  return user;
}

/** Counted before the password is checked, so that many guesses at once do not slip through together. */
export async function login(deps: AccountDeps, username: string, password: string, ip: string): Promise<User> {
  const failures = `login:${sameName(username)}:${ip}`;
  const tries = await deps.shared.increment(failures, 1, failureWindowMs).catch(() => 0);
  if (tries > mostFailures)
    throw new AppError('rate_limit_exceeded', 'Too many failed logins. Try again in 15 minutes.', {
      headers: { 'retry-after': `${failureWindowMs / 1000}` },
    });
  const row = await findUserByName(deps.db, username);
  const matches = await checkPassword(password, row?.password_hash ?? null);
  if (!row || !matches) throw new AppError('wrong_credentials', 'Wrong username or password.');
  await deps.shared.delete(failures).catch(() => {});
  if (row.status !== statuses.enabled) throw new AppError('forbidden', 'This account is disabled.');
  return toUser(row);
}

export interface SelfChange {
  display_name?: string;
  avatar_url?: string;
  email?: string;
  password?: string;
  current_password?: string;
}

/** True in `passwordChanged` means that every session of the user has ended, this one too. */
export async function changeSelf(
  deps: AccountDeps,
  userId: number,
  input: SelfChange,
): Promise<{ user: User; passwordChanged: boolean }> {
  const row = await findUserRow(deps.db, userId);
  if (!row) throw new AppError('not_logged_in', 'You are not logged in.');
  const { password, current_password, ...plain } = input;
  const change: UserChange = { ...plain };
  if (plain.email !== undefined && plain.email !== row.email) change.email_verified = 0;
  if (password !== undefined) {
    if (current_password === undefined)
      throw new AppError('missing_required_parameter', 'current_password is required to change the password.', {
        param: 'current_password',
      });
    if (!(await checkPassword(current_password, row.password_hash)))
      throw new AppError('invalid_value', 'The current password is wrong.', { param: 'current_password' });
    change.password_hash = await hashPassword(password);
  }
  const user = await changeUser(deps.db, userId, change);
  if (!user) throw new AppError('not_logged_in', 'You are not logged in.');
  if (password !== undefined) await deps.sessions.endAll(userId);
  await deps.announcements.changed(`user:${userId}`);
  return { user, passwordChanged: password !== undefined };
}

export type AdminChange = Partial<Pick<User, 'status' | 'role' | 'group' | 'email_verified' | 'display_name'>>;

/** An administrator reaches only below: neither users of a role like its own or higher, nor such a role for others. */
export async function changeUserAsAdmin(deps: AccountDeps, admin: User, id: number, input: AdminChange): Promise<User> {
  const target = await findUserRow(deps.db, id);
  if (!target) throw new AppError('not_found', 'There is no such user.');
  if (target.role >= admin.role)
    throw new AppError('forbidden', 'You cannot change a user of your own role or higher.');
  if (input.role !== undefined && input.role >= admin.role)
    throw new AppError('forbidden', 'You cannot give a role like your own or higher.');
  const { email_verified, ...plain } = input;
  const user = await changeUser(deps.db, id, {
    ...plain,
    ...(email_verified !== undefined && { email_verified: Number(email_verified) }),
  });
  if (!user) throw new AppError('not_found', 'There is no such user.');
  if (input.status === statuses.disabled) await deps.sessions.endAll(id);
  await deps.announcements.changed(`user:${id}`);
  return user;
}

/** First start: makes the root user. Returns the password to print when it was drawn here. */
export async function ensureRoot(
  deps: Pick<AccountDeps, 'db' | 'clock'>,
  admin: { username: string; password?: string },
): Promise<{ username: string; password: string | null } | null> {
  if ((await countUsers(deps.db)) > 0) return null;
  const drawn = admin.password === undefined ? randomString(20) : null;
  const user = await insertUser(deps.db, {
    username: admin.username,
    password_hash: await hashPassword(admin.password ?? drawn!),
    display_name: admin.username,
    email: '',
    role: roles.root,
    quota: rootQuota,
    created_at: nowSeconds(deps.clock),
  });
  return user ? { username: admin.username, password: drawn } : null;
}

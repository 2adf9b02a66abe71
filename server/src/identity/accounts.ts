import { type Clock, nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { randomString } from '../lib/ids.ts';
import type { Language } from '../lib/languages.ts';
import type { Db } from '../platform/db/tables.ts';
import { isTaken } from '../platform/durable/errors.ts';
import type { Shared } from '../platform/shared/port.ts';
import type { Announcements } from './announcements.ts';
import { type AuditLog, nowhere } from './audit/log.ts';
import { requireFreshSession } from './confirm-owner.ts';
import type { KeyDeps } from './keys.ts';
import type { Options } from './options.ts';
import {
  checkLoginAttempt,
  checkPassword,
  hashPassword,
  hasPassword,
  isOutdated,
  type LoginAttempt,
} from './passwords.ts';
import { requireLowerRole } from './role-checks.ts';
import type { ProvenUser, Sessions } from './sessions.ts';
import { setLanguage } from './store/languages.ts';
import {
  changeUser,
  countUsers,
  findUser,
  findUserByName,
  findUserRow,
  insertUser,
  replaceHash,
  toUser,
  type UserChange,
  type UserRow,
} from './store/users.ts';
import { isOrganisation, requireNoOrganisation, roles, statuses, type User } from './user.ts';

export interface AccountDeps {
  db: Db;
  shared: Shared;
  clock: Clock;
  options: Options;
  sessions: Sessions;
  announcements: Announcements;
  audit: AuditLog;
  /** What this process holds of a user's balance for running requests. */
  heldBy(userId: number): number;
  recallKey: KeyDeps['recallKey'];
}

const rootQuota = 50_000_000;

export interface Registration {
  username: string;
  password: string;
  email?: string;
  display_name?: string;
  language?: Language;
}

export async function register(deps: AccountDeps, input: Registration): Promise<ProvenUser> {
  if (!deps.options.get('RegistrationEnabled'))
    throw new AppError('forbidden', 'Registration is closed. Ask an administrator for an account.');
  const passwordHash = await hashPassword(input.password);
  const user = await insertUser(deps.db, {
    username: input.username,
    password_hash: passwordHash,
    display_name: input.display_name ?? input.username,
    email: input.email ?? '',
    role: roles.user,
    quota: deps.options.get('QuotaForNewUser'),
    created_at: nowSeconds(deps.clock),
  });
  if (!user) throw new AppError('conflict', 'This username is taken.', { param: 'username' });
  if (input.language) await setLanguage(deps.db, user.id, input.language);
  return { user, passwordHash };
}

export async function login(deps: AccountDeps, attempt: LoginAttempt): Promise<ProvenUser> {
  const row = await findUserByName(deps.db, attempt.username);
  const matches = await checkLoginAttempt(deps, attempt, row?.password_hash ?? null);
  if (!row || !matches) throw new AppError('wrong_credentials', 'Wrong username or password.');
  if (row.status !== statuses.enabled) throw new AppError('forbidden', 'This account is disabled.');
  return { user: toUser(row), passwordHash: await ownHash(deps, row, attempt.password) };
}

/** Imported passwords get a hash of our own as soon as they are known: the imported ones are easier to guess from. */
async function ownHash({ db }: AccountDeps, { id, password_hash }: UserRow, password: string): Promise<string> {
  if (!isOutdated(password_hash)) return password_hash;
  const hash = await hashPassword(password);
  if (await replaceHash(db, id, password_hash, hash)) return hash;
  // By another login of the same user; or the password was changed.
  const now = await findUserRow(db, id);
  if (!now || !(await checkPassword(password, now.password_hash)))
    throw new AppError('wrong_credentials', 'Wrong username or password.');
  return now.password_hash;
}

export interface SelfChange {
  display_name?: string;
  avatar_url?: string;
  email?: string;
  language?: Language;
  password?: string;
  current_password?: string;
}

const setTooLate = 'Log in again first. You can set a password within 15 minutes of logging in.';

/** A new password ends all sessions of the user, including this one; `proven` then starts another. */
export async function changeSelf(
  deps: AccountDeps,
  { userId, sessionId, ip }: { userId: number; sessionId?: number; ip: string },
  input: SelfChange,
): Promise<{ user: User; proven?: ProvenUser }> {
  const row = await findUserRow(deps.db, userId);
  if (!row) throw new AppError('not_logged_in', 'You are not logged in.');
  const { password, current_password, language, ...plain } = input;
  const change: UserChange = { ...plain };
  if (password !== undefined) {
    if (hasPassword(row.password_hash)) await requirePassword(deps, row, current_password, ip);
    else await requireFreshSession(deps, userId, sessionId, setTooLate);
    change.password_hash = await hashPassword(password);
  }
  const { password_hash: passwordHash } = change;
  // Of two callers who know the old password only the first succeeds.
  const user = await changeUser(deps.db, userId, change, passwordHash ? { passwordHash: row.password_hash } : {});
  if (!user) throw new AppError('not_logged_in', 'You are not logged in.');
  if (language) await setLanguage(deps.db, userId, language);
  await deps.announcements.changed(`user:${userId}`);
  return { user, ...(passwordHash && { proven: { user, passwordHash } }) };
}

async function requirePassword(
  deps: AccountDeps,
  row: UserRow,
  password: string | undefined,
  ip: string,
): Promise<void> {
  if (password === undefined)
    throw new AppError('missing_required_parameter', 'current_password is required to change the password.', {
      param: 'current_password',
    });
  if (!(await checkLoginAttempt(deps, { username: row.username, password, ip }, row.password_hash)))
    throw new AppError('invalid_value', 'The current password is wrong.', { param: 'current_password' });
}

/**
 * The balance includes what processes have set aside and charged, without what running requests hold. What one of them
 * held before its charge counts as well: the row that was read may be older.
 */
export async function userNow({ db, heldBy }: Pick<AccountDeps, 'db' | 'heldBy'>, id: number): Promise<User | null> {
  const before = heldBy(id);
  const user = await findUser(db, id);
  return user && { ...user, quota: user.quota - Math.max(before, heldBy(id)) };
}

export type AdminChange = Partial<
  Pick<User, 'status' | 'role' | 'group' | 'email_verified' | 'email' | 'display_name'>
>;

/** An administrator can neither change users of their own role or higher, nor assign such a role. */
export async function changeUserAsAdmin(deps: AccountDeps, admin: User, id: number, input: AdminChange): Promise<User> {
  const target = await requireLowerRole(deps.db, admin, id, 'change');
  if (input.role !== undefined && input.role >= admin.role)
    throw new AppError('forbidden', 'You cannot assign a role equal to or higher than your own.');
  if ((input.role ?? target.role) !== target.role) requireNoOrganisation(target);
  if (isOrganisation(target) && (input.display_name ?? target.display_name) !== target.display_name)
    throw new AppError(
      'conflict',
      "This user represents an organisation and shares its name. Only the organisation's owners can change it.",
      {
        param: 'display_name',
      },
    );
  const { email_verified, email, ...plain } = input;
  const change = { ...plain, ...(email_verified !== undefined && { email_verified: Number(email_verified) }) };
  // The user could change the address just before the administrator confirms it.
  const looked = email_verified && email !== undefined ? { email } : {};
  const user = await changeUser(deps.db, id, change, { byAdmin: admin.id, ...looked }).catch((error) => {
    if (isTaken(error, 'users')) throw new AppError('conflict', 'Another account has verified this address.');
    throw error;
  });
  if (!user)
    throw new AppError('conflict', 'Someone else has changed this user in the meantime. Reload and try again.');
  await deps.announcements.changed(`user:${id}`);
  return user;
}

/** First start: creates the root user. Returns the password to print if it was generated here. */
export async function ensureRoot(
  deps: Pick<AccountDeps, 'db' | 'clock' | 'audit'>,
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
  if (!user) return null;
  const target = { type: 'user', id: user.id };
  deps.audit.record({
    action: 'user_created',
    actor: 'svc serve',
    target,
    after: { role: roles.root },
    origin: nowhere,
  });
  return { username: admin.username, password: drawn };
}

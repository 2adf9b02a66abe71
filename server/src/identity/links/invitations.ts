import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Language } from '../../lib/languages.ts';
import { hasPassword, noPassword } from '../passwords.ts';
import { identitiesOf } from '../sign-in/store/identities.ts';
import { listUsers } from '../store/names.ts';
import { listOneTime, takeOneTimeOf } from '../store/one-time.ts';
import { findUserRow, insertUser, type UserRow } from '../store/users.ts';
import { roles, type User } from '../user.ts';
import type { LinkDeps } from './deps.ts';
import { type About, mailLink, makeLink } from './links.ts';

export interface Invitation {
  username: string;
  email: string;
  display_name?: string | undefined;
  role?: number | undefined;
  /** The initial balance; by default that of every new user. */
  quota?: number | undefined;
}

export interface Invited {
  user: User;
  /** The link, if no mail was sent. */
  url: string | null;
  mailed: boolean;
}

/** Creates an account without a password, and the link to choose one. */
export async function invite(
  deps: LinkDeps,
  by: Pick<User, 'id' | 'role'>,
  input: Invitation,
  askedIn: Language,
): Promise<Invited> {
  const { username, email, display_name = username, role = roles.user } = input;
  if (role >= by.role) throw new AppError('forbidden', 'You cannot assign a role equal to or higher than your own.');
  const user = await insertUser(deps.db, {
    ...{ username, email, display_name, password_hash: noPassword(), role },
    quota: input.quota ?? deps.options.get('QuotaForNewUser'),
    created_at: nowSeconds(deps.clock),
  });
  if (!user) throw new AppError('conflict', 'This username is taken.', { param: 'username' });
  const row = (await findUserRow(deps.db, user.id)) as UserRow;
  return { user, ...(await handOver(deps, row, askedIn, by.id)) };
}

async function handOver(deps: LinkDeps, user: UserRow, askedIn: Language, by: number): Promise<Omit<Invited, 'user'>> {
  const returned = async () => ({ url: await makeLink(deps, 'invitation', user, { by }), mailed: false });
  if (!deps.mailer || user.email === '') return returned();
  try {
    await mailLink(deps, 'invitation', user, askedIn);
    return { url: null, mailed: true };
  } catch (error) {
    deps.log.warn({ error }, 'an invitation could not be emailed');
    return returned();
  }
}

/** Never signed in: neither a password nor an external account. */
export const isAwaited = async ({ db }: Pick<LinkDeps, 'db'>, user: UserRow): Promise<boolean> =>
  !hasPassword(user.password_hash) && (await identitiesOf(db, user.id)).length === 0;

export interface OpenInvitation {
  user: User;
  mailed: boolean;
  created_at: number;
  expires_at: number;
}

const mostListed = 200;

/** Newest first. */
export async function openInvitations(deps: LinkDeps): Promise<OpenInvitation[]> {
  const open = await listOneTime(deps.db, { purpose: 'invitation', now: nowSeconds(deps.clock) }, mostListed);
  const ids = open.map(({ user_id }) => user_id);
  const { users } = await listUsers(deps.db, { page: 1, page_size: mostListed }, { q: '', ids: [0, ...ids] });
  const byId = new Map(users.map((user) => [user.id, user]));
  return open.flatMap(({ user_id, ...row }) => {
    const user = byId.get(user_id);
    return user ? [{ user, ...shown(row) }] : [];
  });
}

/** Null if there is none, or it has expired. */
export async function invitationOf(deps: LinkDeps, userId: number): Promise<Omit<OpenInvitation, 'user'> | null> {
  const [row] = await listOneTime(deps.db, { purpose: 'invitation', now: nowSeconds(deps.clock), userId }, 1);
  return row ? shown(row) : null;
}

const shown = ({ about, created_at, expires_at }: { about: string; created_at: number; expires_at: number }) => ({
  ...{ mailed: (JSON.parse(about) as About).mailed, created_at, expires_at },
});

/**
 * Ends the link, and tells whether the account may be closed with it. A concurrent use of the link either wins, and
 * this fails, or finds it gone.
 */
export async function withdrawInvitation(deps: Pick<LinkDeps, 'db'>, userId: number): Promise<void> {
  if (!(await takeOneTimeOf(deps.db, userId, 'invitation')))
    throw new AppError('not_found', 'This invitation has been used, was revoked or has expired.');
  const user = await findUserRow(deps.db, userId);
  if (!user || !(await isAwaited(deps, user))) throw new AppError('conflict', 'This account already has an owner.');
}

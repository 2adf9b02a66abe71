import { nowSeconds } from '../../lib/clock.ts';
import { sha256Hex } from '../../lib/hashing.ts';
import { randomString } from '../../lib/ids.ts';
import type { Language } from '../../lib/languages.ts';
import { languageOf } from '../store/languages.ts';
import { type OneTimeRow, replaceOneTime, takeOneTime } from '../store/one-time.ts';
import { findUserRow, type UserRow } from '../store/users.ts';
import type { LinkDeps } from './deps.ts';

export type LinkPurpose = 'verify_email' | 'reset_password' | 'invitation';

const kinds: Record<LinkPurpose, { page: string; seconds: number }> = {
  verify_email: { page: '/verify-email', seconds: 86_400 },
  reset_password: { page: '/reset-password', seconds: 1_800 },
  invitation: { page: '/reset-password', seconds: 7 * 86_400 },
};

/** What must still hold when the link is used. */
export interface About {
  email: string;
  password: string;
  /** It was mailed, so its user reads mail at the address. */
  mailed: boolean;
  /** The administrator it was returned to; absent if it was mailed. */
  by?: number | undefined;
}

const stateOf = ({ email, password_hash }: UserRow): Pick<About, 'email' | 'password'> => ({
  email,
  password: sha256Hex(password_hash),
});

/**
 * Returned to an administrator, or mailed. Replaces earlier links. The secret is in the fragment, which browsers do not
 * send to servers.
 */
export async function makeLink(
  deps: LinkDeps,
  purpose: LinkPurpose,
  user: UserRow,
  to: { by: number } | 'mail',
): Promise<string> {
  const token = randomString(48);
  const now = nowSeconds(deps.clock);
  const { page, seconds } = kinds[purpose];
  await replaceOneTime(deps.db, {
    secret_hash: sha256Hex(token),
    purpose,
    user_id: user.id,
    about: JSON.stringify({ ...stateOf(user), mailed: to === 'mail', ...(to !== 'mail' && to) } satisfies About),
    created_at: now,
    expires_at: now + seconds,
  });
  return `${deps.webUrl}${page}#${token}`;
}

/** In the account's language, else the requester's. */
export async function mailLink(deps: LinkDeps, purpose: LinkPurpose, user: UserRow, askedIn: Language): Promise<void> {
  const language = (await languageOf(deps.db, user.id)) ?? askedIn;
  const link = await makeLink(deps, purpose, user, 'mail');
  const { email, username } = user;
  await deps.mailer!.send({ email, username, language }, purpose, { link, seconds: kinds[purpose].seconds });
}

export interface TakenLink {
  user: UserRow;
  mailed: boolean;
  /**
   * Who was given the link, and must still outrank its user when it is used: otherwise a former administrator could
   * take over an account, and an administrator that of somebody promoted since.
   */
  byAdmin: number | undefined;
}

/** Null if it is no longer valid. */
export async function takeLink(deps: LinkDeps, purposes: LinkPurpose[], token: string): Promise<TakenLink | null> {
  let given: OneTimeRow | null = null;
  for (const purpose of purposes)
    given ??= await takeOneTime(deps.db, { secretHash: sha256Hex(token), purpose, now: nowSeconds(deps.clock) });
  const user = given?.user_id ? await findUserRow(deps.db, given.user_id) : null;
  if (!given || !user) return null;
  const about = JSON.parse(given.about) as About;
  const now = stateOf(user);
  const sameAddress = about.email === now.email;
  // A password link becomes invalid when the password changes; a mailed one also when the address does, since the
  // address may be somebody else's later.
  const forPassword = about.password === now.password && (sameAddress || !about.mailed);
  const counts = given.purpose === 'verify_email' ? sameAddress : forPassword;
  return counts ? { user, mailed: about.mailed && sameAddress, byAdmin: about.by } : null;
}

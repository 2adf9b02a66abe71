import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { sha256Hex } from '../../lib/hashing.ts';
import type { Language } from '../../lib/languages.ts';
import { isTaken } from '../../platform/durable/errors.ts';
import { confirmOwner, type Shown } from '../confirm-owner.ts';
import { notifyOwner } from '../notices.ts';
import { hashPassword, hasPassword } from '../passwords.ts';
import type { SessionPrincipal } from '../principals.ts';
import { findOneTime } from '../store/one-time.ts';
import { type ChangeTerms, changeUser, findUserRow, findVerified, type UserChange } from '../store/users.ts';
import { statuses, type User } from '../user.ts';
import type { LinkDeps } from './deps.ts';
import { mailLink, takeLink } from './links.ts';
import { mailWindowMs, mayMail } from './mail.ts';

const noMail = () => new AppError('conflict', 'This service does not send email. Ask an administrator for a link.');
const spent = () =>
  new AppError('invalid_value', 'This link has been used or has expired. Request a new one.', { param: 'token' });

const refusals = {
  missing: 'password is required to verify the address.',
  late: 'Log in again first. You can verify an address within 15 minutes of logging in.',
};

/**
 * The password is required: a verified address can reset it, so an unlocked screen would allow a takeover with another
 * address.
 */
export async function sendVerification(
  deps: LinkDeps,
  principal: SessionPrincipal,
  shown: Shown,
  askedIn: Language,
): Promise<void> {
  const user = await findUserRow(deps.db, principal.user.id);
  if (!user || user.email === '') throw new AppError('conflict', 'Your profile has no email address.');
  if (user.email_verified) throw new AppError('conflict', 'Your email address is already verified.');
  if (!deps.mailer) throw noMail();
  await confirmOwner(deps, principal, shown, refusals);
  if (!(await mayMail(deps, 'verify_email', user.email, { userId: user.id, ip: shown.ip })))
    throw new AppError('rate_limit_exceeded', 'Too many emails were sent to this address. Try again in an hour.', {
      headers: { 'retry-after': `${mailWindowMs / 1000}` },
    });
  await mailLink(deps, 'verify_email', user, askedIn).catch((error) => {
    throw new AppError('unavailable', 'The email could not be sent. Try again later.', {}, error);
  });
}

/** A verified address belongs to one account; of two concurrent verifications the first wins. */
async function changed(deps: LinkDeps, id: number, change: UserChange, terms: ChangeTerms): Promise<User | null> {
  const user = await changeUser(deps.db, id, change, terms);
  if (user) await deps.announcements.changed(`user:${id}`);
  return user;
}

const anothers = () =>
  new AppError('forbidden', 'This link belongs to another account. If that account is yours, log in to it.', {
    param: 'token',
  });

/**
 * Only while logged in to the account. Anybody can enter another's address: if the link alone sufficed, a stranger who
 * follows it would verify their address for an account that is not theirs.
 */
export async function verifyEmail(deps: LinkDeps, userId: number, token: string): Promise<User> {
  const shown = { secretHash: sha256Hex(token), purpose: 'verify_email', now: nowSeconds(deps.clock) };
  const given = await findOneTime(deps.db, shown);
  if (given && given.user_id !== userId) throw anothers();
  const taken = await takeLink(deps, ['verify_email'], token);
  if (!taken) throw spent();
  const { byAdmin, user: of } = taken;
  const user = await changed(deps, of.id, { email_verified: 1 }, { email: of.email, byAdmin }).catch((error) => {
    if (isTaken(error, 'users')) throw new AppError('conflict', 'Another account has verified this address.');
    throw error;
  });
  if (!user) throw spent();
  return user;
}

/** Off the request path: neither the answer nor its timing reveals whether the account exists. */
export function askForReset(deps: LinkDeps, email: string, askedIn: Language, ip: string): void {
  if (!deps.mailer) throw noMail();
  const send = async () => {
    const user = await findVerified(deps.db, email);
    if (user?.status !== statuses.enabled) return;
    if (await mayMail(deps, 'reset_password', user.email, { userId: null, ip }))
      await mailLink(deps, 'reset_password', user, askedIn);
  };
  void send().catch((error) => deps.log.warn({ error }, 'an email could not be sent'));
}

/** Ends all sessions without signing in, since a second factor may be required. */
export async function resetPassword(deps: LinkDeps, token: string, password: string): Promise<User> {
  const taken = await takeLink(deps, ['reset_password', 'invitation'], token);
  if (!taken) throw spent();
  const { user, mailed, byAdmin } = taken;
  const password_hash = await hashPassword(password);
  const reset = await changed(deps, user.id, { password_hash }, { passwordHash: user.password_hash, byAdmin });
  if (!reset) throw spent();
  // The first password of an invited user needs no notice.
  if (hasPassword(user.password_hash)) notifyOwner(deps, user.id, 'password');
  if (mailed && !reset.email_verified)
    await changed(deps, user.id, { email_verified: 1 }, { email: user.email }).catch((error) => {
      // The password is changed nevertheless.
      if (!isTaken(error, 'users')) throw error;
    });
  return reset;
}

import { AppError } from '../../lib/errors.ts';
import type { Language } from '../../lib/languages.ts';
import type { UserRow } from '../store/users.ts';
import { requireNoOrganisation } from '../user.ts';
import type { LinkDeps } from './deps.ts';
import { isAwaited } from './invitations.ts';
import { type LinkPurpose, mailLink, makeLink } from './links.ts';
import { mayMailAsAdministrator } from './mail.ts';

/** A link requested by an administrator: handed over, or mailed to its owner. */
export async function issueLink(
  deps: LinkDeps,
  user: UserRow,
  { purpose, mail, askedIn, by }: { purpose: LinkPurpose; mail: boolean; askedIn: Language; by: number },
): Promise<{ url: string | null; mailed: boolean }> {
  requireNoOrganisation(user);
  if (purpose === 'invitation' && !(await isAwaited(deps, user)))
    throw new AppError('conflict', 'This account already has an owner.');
  if (!mail) return { url: await makeLink(deps, purpose, user, { by }), mailed: false };
  if (!deps.mailer) throw new AppError('conflict', 'This service does not send email. Share a link instead.');
  if (user.email === '') throw new AppError('conflict', 'This account has no email address.');
  // An unverified address may belong to somebody else, who would get the account.
  if (purpose === 'reset_password' && user.email_verified !== 1)
    throw new AppError('conflict', 'The email address of this account is not verified. Share a link instead.');
  if (!(await mayMailAsAdministrator(deps, purpose, user.email)))
    throw new AppError('rate_limit_exceeded', 'Too many emails were sent to this address. Try again in an hour.');
  await mailLink(deps, purpose, user, askedIn).catch((error) => {
    throw new AppError('unavailable', 'The email could not be sent. Try again later.', {}, error);
  });
  return { url: null, mailed: true };
}

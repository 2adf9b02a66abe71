import type { LinkDeps } from './deps.ts';
import type { LinkPurpose } from './links.ts';

/**
 * Mails of one kind to one address in an hour: somebody else may have typed it. Each kind by itself: nobody keeps somebody from
 * resetting their password by having other mails sent to them first.
 */
const mostMails = 5;
/** Of one user to addresses of their choice, in a day: else anybody with an account sends everybody mail in our name. */
const mostOfUser = 50;
const dayMs = 86_400_000;
/** Of what was done to the account, counted apart: nobody keeps its owner from hearing of it by asking for other mails first. */
const mostNotices = 20;
export const mailWindowMs = 3_600_000;

const counted = async ({ shared }: Pick<LinkDeps, 'shared'>, name: string, most: number): Promise<boolean> =>
  (await shared.hit(name, most, mailWindowMs)).allowed;

export const mayMail = (
  deps: Pick<LinkDeps, 'shared'>,
  purpose: LinkPurpose | 'join',
  address: string,
): Promise<boolean> => counted(deps, `mail:${purpose}:${address.toLowerCase()}`, mostMails);

/** The same of what a user has sent to an address that need not be theirs. */
export const mayMailFor = async (
  deps: Pick<LinkDeps, 'shared'>,
  userId: number,
  purpose: LinkPurpose | 'join',
  address: string,
): Promise<boolean> =>
  (await deps.shared.hit(`mails-of:${userId}`, mostOfUser, dayMs)).allowed && (await mayMail(deps, purpose, address));

export const mayMailNotice = (deps: Pick<LinkDeps, 'shared'>, address: string): Promise<boolean> =>
  counted(deps, `mail-notice:${address.toLowerCase()}`, mostNotices);

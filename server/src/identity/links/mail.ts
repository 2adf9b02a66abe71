import type { LinkDeps } from './deps.ts';
import type { LinkPurpose } from './links.ts';

/**
 * Mails of a kind to one address per hour, as anybody may enter it. Counted per kind: other mails must not block a
 * password reset.
 */
const mostMails = 5;
/** Mails of one user to arbitrary addresses per day: otherwise anybody with an account could send spam in our name. */
const mostOfUser = 50;
const dayMs = 86_400_000;
/** Security notices, counted separately, so that an attacker cannot suppress them by requesting other mails first. */
const mostNotices = 20;
export const mailWindowMs = 3_600_000;

const counted = async ({ shared }: Pick<LinkDeps, 'shared'>, name: string, most: number): Promise<boolean> =>
  (await shared.hit(name, most, mailWindowMs)).allowed;

export const mayMail = (
  deps: Pick<LinkDeps, 'shared'>,
  purpose: LinkPurpose | 'join',
  address: string,
): Promise<boolean> => counted(deps, `mail:${purpose}:${address.toLowerCase()}`, mostMails);

/** The same for mails a user sends to an address that need not be theirs. */
export const mayMailFor = async (
  deps: Pick<LinkDeps, 'shared'>,
  userId: number,
  purpose: LinkPurpose | 'join',
  address: string,
): Promise<boolean> =>
  (await deps.shared.hit(`mails-of:${userId}`, mostOfUser, dayMs)).allowed && (await mayMail(deps, purpose, address));

export const mayMailNotice = (deps: Pick<LinkDeps, 'shared'>, address: string): Promise<boolean> =>
  counted(deps, `mail-notice:${address.toLowerCase()}`, mostNotices);

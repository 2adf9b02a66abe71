import { limitKeyOfIp } from '../../platform/http/client-ip.ts';
import type { LinkDeps } from './deps.ts';
import type { LinkPurpose } from './links.ts';

/**
 * Anybody can enter any address. Mails to one address are counted per kind, so that other mails do not block a password
 * reset, and per hour.
 */
export const mailWindowMs = 3_600_000;
/** Per account and per network: a stranger only uses up their own limit. */
const mostOfAsker = 5;
/** Of all callers together. */
const mostToAddress = 10;
/** Beyond that, per caller: strangers cannot block the owner's mail, and need another network for each further one. */
const mostBeyond = 1;
/** Mails of one user to arbitrary addresses per day: otherwise anybody with an account could send spam in our name. */
const mostOfUser = 50;
const dayMs = 86_400_000;
/** Security notices, counted separately, so that an attacker cannot suppress them by requesting other mails first. */
const mostNotices = 20;

type Deps = Pick<LinkDeps, 'shared'>;
type MailKind = LinkPurpose | 'join';

/** Who causes a mail. */
export interface MailAsker {
  /** Null if nobody is logged in. */
  userId: number | null;
  ip: string;
}

const counted = async ({ shared }: Deps, name: string, most: number): Promise<boolean> =>
  (await shared.hit(name, most, mailWindowMs)).allowed;

const allCounted = async (deps: Deps, names: string[], most: number): Promise<boolean> => {
  for (const name of names) if (!(await counted(deps, name, most))) return false;
  return true;
};

/** Whether this caller may cause a mail to an address that need not be theirs. */
export async function mayMail(deps: Deps, kind: MailKind, address: string, asker: MailAsker): Promise<boolean> {
  const { userId, ip } = asker;
  if (userId !== null && !(await deps.shared.hit(`mails-of:${userId}`, mostOfUser, dayMs)).allowed) return false;
  const name = `${kind}:${address.toLowerCase()}`;
  const askers = [...(userId === null ? [] : [`user:${userId}`]), limitKeyOfIp(ip)];
  const by = (start: string) => askers.map((one) => `${start}:${name}:${one}`);
  if (!(await allCounted(deps, by('mail-by'), mostOfAsker))) return false;
  return (await counted(deps, `mail:${name}`, mostToAddress)) || allCounted(deps, by('mail-beyond'), mostBeyond);
}

/** The same for administrators, whose mails are counted separately from everyone else's. */
export const mayMailAsAdministrator = (deps: Deps, kind: MailKind, address: string): Promise<boolean> =>
  counted(deps, `mail-admin:${kind}:${address.toLowerCase()}`, mostOfAsker);

export const mayMailNotice = (deps: Deps, address: string): Promise<boolean> =>
  counted(deps, `mail-notice:${address.toLowerCase()}`, mostNotices);

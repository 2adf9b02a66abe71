import { AppError } from '../lib/errors.ts';
import { randomString } from '../lib/ids.ts';
import { limitKeyOfIp } from '../platform/http/client-ip.ts';
import type { Shared } from '../platform/shared/port.ts';
import { sameName } from './user.ts';

/** OWASP's minimum for argon2id: strong enough, and thirty concurrent logins still fit into memory. */
const cost = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;

export const hashPassword = (password: string): Promise<string> => Bun.password.hash(password, cost);

const ownStart = `$${cost.algorithm}$v=19$m=${cost.memoryCost},t=${cost.timeCost},`;
/** Imported from another service, or created with lower cost parameters. */
export const isOutdated = (hash: string): boolean => !hash.startsWith(ownStart);

const noPasswordMark = 'none:';
/** For users who only sign in externally. Random like a hash, so that sessions can detect changes. */
export const noPassword = (): string => `${noPasswordMark}${randomString(32)}`;
export const hasPassword = (hash: string): boolean => !hash.startsWith(noPasswordMark);

/** Compared for unknown users, so that both answers take the same time. */
let decoy: Promise<string> | null = null;

export async function checkPassword(password: string, hash: string | null): Promise<boolean> {
  decoy ??= hashPassword('decoy for unknown users');
  const own = hash !== null && hasPassword(hash) ? hash : null;
  const matches = await Bun.password.verify(password, own ?? (await decoy));
  return matches && own !== null;
}

const mostFailures = 10;
const failureWindowMs = 15 * 60_000;

/** Whose password, and from where. */
export interface LoginAttempt {
  username: string;
  password: string;
  ip: string;
}

/**
 * Whether the password is right. Attempts count per name and address wherever a password is asked for, and before it is
 * checked, so that concurrent attempts cannot slip through.
 */
export async function checkLoginAttempt(
  { shared }: { shared: Shared },
  { username, password, ip }: LoginAttempt,
  hash: string | null,
): Promise<boolean> {
  const failures = `login:${sameName(username)}:${limitKeyOfIp(ip)}`;
  const tries = await shared.increment(failures, 1, failureWindowMs);
  if (tries > mostFailures)
    throw new AppError('rate_limit_exceeded', 'Too many failed logins. Try again in 15 minutes.', {
      headers: { 'retry-after': `${failureWindowMs / 1000}` },
    });
  const matches = await checkPassword(password, hash);
  if (matches) await shared.delete(failures).catch(() => {});
  return matches;
}

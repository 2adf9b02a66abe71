import { type Clock, nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Shared } from '../platform/shared/port.ts';
import { checkLoginAttempt, hasPassword } from './passwords.ts';
import type { SessionPrincipal } from './principals.ts';
import { listSessions, signedInAtOf } from './store/sessions.ts';
import { findUserRow } from './store/users.ts';

/** Error messages for a missing password, and for a login that is too old. */
interface Refusals {
  missing: string;
  late: string;
}

interface Deps {
  db: Db;
  clock: Clock;
  shared: Shared;
}

export interface Shown {
  password: string | undefined;
  ip: string;
}

/**
 * Protects against takeover or deletion from an unlocked screen: the password is required. Users without one, who only
 * sign in externally, must have logged in recently.
 */
export async function confirmOwner(
  deps: Deps,
  { user, sessionId }: Pick<SessionPrincipal, 'user' | 'sessionId'>,
  { password, ip }: Shown,
  { missing, late }: Refusals,
): Promise<void> {
  const row = await findUserRow(deps.db, user.id);
  if (row && !hasPassword(row.password_hash)) return requireFreshSession(deps, user.id, sessionId, late);
  if (password === undefined) throw new AppError('missing_required_parameter', missing, { param: 'password' });
  if (!(await checkLoginAttempt(deps, { username: user.username, password, ip }, row?.password_hash ?? null)))
    throw new AppError('invalid_value', 'The password is wrong.', { param: 'password' });
}

const freshSeconds = 15 * 60;
/** A second factor proven since counts like a login. */
export async function requireFreshSession(
  { db, clock }: Omit<Deps, 'shared'>,
  userId: number,
  sessionId: number | undefined,
  late: string,
): Promise<void> {
  const now = nowSeconds(clock);
  const session = (await listSessions(db, userId, now)).find(({ id }) => id === sessionId);
  const provenAt = session ? Math.max(signedInAtOf(session), session.factor_at ?? 0) : 0;
  if (provenAt < now - freshSeconds) throw new AppError('forbidden', late);
}

import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { sha256Hex } from '../../lib/hashing.ts';
import { randomString } from '../../lib/ids.ts';
import type { ProvenUser } from '../sessions.ts';
import { findOneTime, insertOneTime, takeOneTime } from '../store/one-time.ts';
import { findUserRow, toUser } from '../store/users.ts';
import { statuses } from '../user.ts';
import type { FactorDeps } from './deps.ts';
import { provePasskey } from './passkeys.ts';
import { type Method, methodsOf, takeCode } from './second-factor.ts';

const purpose = 'sign_in';
/** Long enough to find the phone. */
export const pendingSignInSeconds = 300;

export interface PendingSignIn {
  token: string;
  methods: Method[];
}

/**
 * The intermediate state between password and session for users with a second factor: only good for showing that
 * factor. Null for others.
 */
export async function beginSecondStep(
  deps: FactorDeps,
  { user, passwordHash }: ProvenUser,
): Promise<PendingSignIn | null> {
  const methods = await methodsOf(deps.db, user.id);
  if (methods.length === 0) return null;
  const token = randomString(48);
  const now = nowSeconds(deps.clock);
  await insertOneTime(deps.db, {
    secret_hash: sha256Hex(token),
    purpose,
    user_id: user.id,
    // A password changed meanwhile invalidates it.
    about: sha256Hex(passwordHash),
    created_at: now,
    expires_at: now + pendingSignInSeconds,
  });
  return { token, methods };
}

const begunAnew = () => new AppError('wrong_credentials', 'This sign-in has expired. Log in again.');

/** The user of an intermediate sign-in, for the log; null if it is no longer valid. */
export async function pendingSignInOf(deps: FactorDeps, token: string | null): Promise<ProvenUser | null> {
  if (!token) return null;
  const shown = { secretHash: sha256Hex(token), purpose, now: nowSeconds(deps.clock) };
  const half = await findOneTime(deps.db, shown);
  const row = half?.user_id ? await findUserRow(deps.db, half.user_id) : null;
  if (!half || !row || row.status !== statuses.enabled || sha256Hex(row.password_hash) !== half.about) return null;
  return { user: toUser(row), passwordHash: row.password_hash };
}

/** A wrong code keeps the intermediate sign-in: attempts are counted, and typing errors are common. */
export async function finishSecondStep(
  deps: FactorDeps,
  token: string | null,
  code: string,
): Promise<ProvenUser & { method: Method }> {
  const half = await pendingSignInOf(deps, token);
  if (!token || !half) throw begunAnew();
  const method = await takeCode(deps, half.user.id, code);
  const now = nowSeconds(deps.clock);
  if (!(await takeOneTime(deps.db, { secretHash: sha256Hex(token), purpose, now }))) throw begunAnew();
  return { ...half, method, factorAt: now };
}

export async function signInWithPasskey(deps: FactorDeps, response: AuthenticationResponseJSON): Promise<ProvenUser> {
  const { passkey } = await provePasskey(deps, 'passkey_sign_in', response);
  const row = await findUserRow(deps.db, passkey.user_id);
  if (!row || row.status !== statuses.enabled) throw new AppError('forbidden', 'This account is disabled.');
  return { user: toUser(row), passwordHash: row.password_hash, factorAt: nowSeconds(deps.clock) };
}

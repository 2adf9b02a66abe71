import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { openOrNull } from '../../lib/seal.ts';
import { confirmOwner, type Shown } from '../confirm-owner.ts';
import type { SessionPrincipal } from '../principals.ts';
import {
  addFirstRecoveryCodes,
  confirmTotp,
  deleteRecoveryCodes,
  deleteTotp,
  findTotp,
  offerTotp,
  replaceRecoveryCodes,
} from '../store/factors.ts';
import { noteFactor } from '../store/sessions.ts';
import type { FactorDeps } from './deps.ts';
import { drawRecoveryCodes, hashOfRecoveryCode } from './recovery-codes.ts';
import { factorsChanged } from './required.ts';
import { countingWrong, methodsOf } from './second-factor.ts';
import { requireRecentFactor } from './step-up.ts';
import { addressOf, newSecret, stepOf } from './totp.ts';

const refusals = {
  missing: 'password is required to add a second factor.',
  late: 'Log in again first. You can add a second factor within 15 minutes of logging in.',
};

/**
 * Protects against adding a factor from an unlocked screen, which would lock the owner out: the first requires the
 * password, further ones a factor.
 */
export async function confirmAdding(deps: FactorDeps, principal: SessionPrincipal, shown: Shown): Promise<void> {
  if ((await methodsOf(deps.db, principal.user.id)).length > 0) return requireRecentFactor(deps, principal);
  await confirmOwner(deps, principal, shown, refusals);
}

const inUse = () => new AppError('conflict', 'An authenticator app is already set up. Remove it first.');

/** A secret for an authenticator app. Takes effect once a code was shown. */
export async function offerSecret(
  deps: FactorDeps,
  { user }: SessionPrincipal,
): Promise<{ secret: string; uri: string }> {
  const secret = newSecret();
  const offer = { user_id: user.id, secret: deps.sealer.seal(secret), created_at: nowSeconds(deps.clock) };
  if (!(await offerTotp(deps.db, offer))) throw inUse();
  return { secret, uri: addressOf(secret, new URL(deps.webUrl).hostname, user.username) };
}

/** Time to find the phone. An abandoned offer expires, since guessing a code would reveal the recovery codes. */
const offerSeconds = 1_800;

/** Enables codes. The recovery codes are only returned here. */
export async function confirmSecret(deps: FactorDeps, principal: SessionPrincipal, code: string): Promise<string[]> {
  const { user, sessionId } = principal;
  const now = nowSeconds(deps.clock);
  const offered = await findTotp(deps.db, user.id);
  if (offered && offered.confirmed_at !== null) throw inUse();
  const secret = offered && offered.created_at > now - offerSeconds ? openOrNull(deps.sealer, offered.secret) : null;
  if (!offered || secret === null)
    throw new AppError('not_found', 'No authenticator secret was generated. Start again.');
  const step = await countingWrong(deps, user.id, async () => stepOf(secret, code.replace(/\s/g, ''), now));
  if (step === null)
    throw new AppError('invalid_value', "This code is not the current one. Check your device's clock.", {
      param: 'code',
    });
  if (!(await confirmTotp(deps.db, offered, { step, now }))) throw inUse();
  await factorsChanged(deps, user.id);
  await noteFactor(deps.db, sessionId, now);
  return newRecoveryCodes(deps, user.id);
}

export async function newRecoveryCodes(deps: FactorDeps, userId: number): Promise<string[]> {
  const codes = drawRecoveryCodes();
  await replaceRecoveryCodes(deps.db, userId, codes.map(hashOfRecoveryCode));
  return codes;
}

/** Null if the user has some. */
export async function firstRecoveryCodes(deps: FactorDeps, userId: number): Promise<string[] | null> {
  const codes = drawRecoveryCodes();
  return (await addFirstRecoveryCodes(deps.db, userId, codes.map(hashOfRecoveryCode))) ? codes : null;
}

/** Without any factor the recovery codes are useless. */
export async function dropTotp(deps: FactorDeps, userId: number): Promise<void> {
  if (!(await deleteTotp(deps.db, userId))) throw new AppError('not_found', 'No authenticator app is set up.');
  await factorsChanged(deps, userId);
  await dropUselessCodes(deps, userId);
}

export async function dropUselessCodes(deps: FactorDeps, userId: number): Promise<void> {
  if ((await methodsOf(deps.db, userId)).length === 0) await deleteRecoveryCodes(deps.db, userId);
}

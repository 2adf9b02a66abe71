import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { openOrNull } from '../../lib/seal.ts';
import type { Db } from '../../platform/db/tables.ts';
import { factorsOf, findTotp, takeRecoveryCode, takeTotpStep } from '../store/factors.ts';
import { countCodeTry } from './code-tries.ts';
import type { FactorDeps } from './deps.ts';
import { hashOfRecoveryCode } from './recovery-codes.ts';
import { stepOf } from './totp.ts';

export const methods = ['passkey', 'totp', 'recovery_code'] as const;
export type Method = (typeof methods)[number];

/** A user's second factors; empty if there are none. */
export async function methodsOf(db: Db, userId: number): Promise<Method[]> {
  const { passkeys, totp_since, recovery_codes_left } = await factorsOf(db, userId);
  if (passkeys.length === 0 && totp_since === null) return [];
  const there = { passkey: passkeys.length > 0, totp: totp_since !== null, recovery_code: recovery_codes_left > 0 };
  return methods.filter((method) => there[method]);
}

const mostFailures = 10;

/** Wrong codes count per user, from any address: there are only a million codes. */
export async function countingWrong<T>(
  deps: Pick<FactorDeps, 'shared'>,
  userId: number,
  look: () => Promise<T | null>,
): Promise<T | null> {
  const failures = `second-factor:${userId}`;
  await countCodeTry(deps.shared, failures, mostFailures);
  const found = await look();
  if (found !== null) await deps.shared.delete(failures).catch(() => {});
  return found;
}

/** Accepts an app's code or a recovery code, each once. */
export async function takeCode(deps: FactorDeps, userId: number, code: string): Promise<Method> {
  const method = await countingWrong(deps, userId, () => matching(deps, userId, code));
  if (!method) throw new AppError('wrong_credentials', 'This code is wrong or has already been used.');
  return method;
}

/** Sealed with a key that was lost since. */
const appUnreadable = () =>
  new AppError(
    'conflict',
    'Codes of your authenticator app cannot be checked any more. Use a passkey or a recovery code, or ask an administrator to reset your second factors.',
  );

async function matching(deps: FactorDeps, userId: number, code: string): Promise<Method | null> {
  const digits = code.replace(/\s/g, '');
  if (!/^\d{6}$/.test(digits))
    return (await takeRecoveryCode(deps.db, userId, hashOfRecoveryCode(code))) ? 'recovery_code' : null;
  const totp = await findTotp(deps.db, userId);
  if (!totp?.confirmed_at) return null;
  const secret = openOrNull(deps.sealer, totp.secret);
  if (secret === null) throw appUnreadable();
  const step = stepOf(secret, digits, nowSeconds(deps.clock));
  return step !== null && (await takeTotpStep(deps.db, userId, step)) ? 'totp' : null;
}

import type { LedgerRow } from '../billing/store/tables.ts';
import { findUserRow } from '../identity/store/users.ts';
import { roles, type User } from '../identity/user.ts';
import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { sha256Hex } from '../lib/hashing.ts';
import { countAttempt } from './attempts.ts';
import { newCode, readCode, shownCode } from './code-text.ts';
import type { TopUpDeps } from './deps.ts';
import { findCode, insertCodes, takeCode } from './store/codes.ts';
import type { CodeRow } from './store/tables.ts';

export interface CodeOrder {
  quota: number;
  count: number;
  uses: number;
  /** Unix seconds; absent or 0 for never. */
  expires_at?: number | undefined;
  note: string;
}

/** The plain codes are only in the response; only their hashes are stored. */
export async function makeCodes(
  { db, clock }: Pick<TopUpDeps, 'db' | 'clock'>,
  madeBy: number,
  { count, expires_at = 0, ...order }: CodeOrder,
): Promise<(CodeRow & { code: string })[]> {
  const now = nowSeconds(clock);
  if (expires_at !== 0 && expires_at <= now)
    throw new AppError('invalid_value', 'expires_at is in the past.', { param: 'expires_at' });
  const codes = Array.from({ length: count }, newCode);
  const byHash = new Map(codes.map((code) => [sha256Hex(code), code]));
  const rows = await insertCodes(
    db,
    [...byHash].map(([code_hash, code]) => ({
      ...order,
      code_hash,
      code_end: code.slice(-4),
      made_by: madeBy,
      expires_at,
      created_at: now,
    })),
  );
  return rows.map((row) => ({ ...row, code: shownCode(byHash.get(row.code_hash)!) }));
}

/** Guessing is hopeless anyway; this stops people who try, and scripts out of control. */
const mostAttempts = 20;
const attemptsWindowMs = 15 * 60_000;

/** The same error for unknown, used up, withdrawn and expired codes, so that it does not reveal which. */
const noCode = () =>
  new AppError('invalid_value', 'This code does not exist, has been used up or has expired.', { param: 'code' });

/** Adds the value of a code to the balance; use and credit are one transaction. */
export async function redeemCode(
  deps: TopUpDeps,
  user: Pick<User, 'id' | 'role'>,
  typed: string,
  idempotencyId?: number,
): Promise<LedgerRow> {
  const { db, clock, shared, billing } = deps;
  await countAttempt(shared, `redeem:${user.id}`, { most: mostAttempts, windowMs: attemptsWindowMs }, 'codes');
  const code = readCode(typed);
  const row = code === null ? null : await findCode(db, sha256Hex(code));
  if (!row) throw noCode();
  await refuseOwnHand(deps, user, row);
  return billing.grant({
    userId: user.id,
    quota: row.quota,
    note: `Code …${row.code_end}`,
    by: row.made_by,
    idempotencyId,
    also: async (tx) => {
      const outcome = await takeCode(tx, row, user.id, nowSeconds(clock));
      if (outcome === 'again')
        throw new AppError('conflict', 'You have already redeemed this code.', { param: 'code' });
      if (outcome === 'spent') throw noCode();
    },
  });
}

/** Administrators cannot grant credits to themselves or others of their role: a code must not be a way around that. */
async function refuseOwnHand({ db }: TopUpDeps, user: Pick<User, 'role'>, { made_by }: CodeRow): Promise<void> {
  if (user.role < roles.administrator || user.role >= roles.root) return;
  const maker = await findUserRow(db, made_by);
  if (!maker || maker.role <= user.role)
    throw new AppError('forbidden', 'Administrators can only redeem codes created by someone with a higher role.');
}

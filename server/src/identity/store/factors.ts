import type { Selectable } from 'kysely';
import { deleteRows } from '../../platform/db/delete-rows.ts';
import { findRow, hasRow } from '../../platform/db/find-row.ts';
import { countRows } from '../../platform/db/list-page.ts';
import { resealing } from '../../platform/db/reseal.ts';
import type { Db } from '../../platform/db/tables.ts';
import { inTurn } from '../../platform/db/with-lock.ts';
import { listPasskeys, type PasskeyRow } from './passkeys.ts';

interface TotpTable {
  user_id: number;
  /** Sealed. */
  secret: string;
  /** Time step of the last accepted code: neither it nor an earlier one is accepted again (RFC 6238 §5.2). */
  last_step: number;
  created_at: number;
  /** Null until a first code was shown, before which it is not required. */
  confirmed_at: number | null;
}

interface RecoveryCodesTable {
  user_id: number;
  code_hash: string;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    totp: TotpTable;
    recovery_codes: RecoveryCodesTable;
  }
}

export type TotpRow = Selectable<TotpTable>;

export interface Factors {
  /** Since when app codes are required, or null. */
  totp_since: number | null;
  recovery_codes_left: number;
  passkeys: ShownPasskey[];
}
/** A passkey as its owner sees it. */
type ShownPasskey = Pick<PasskeyRow, 'id' | 'name' | 'created_at' | 'last_used_at'>;

export async function factorsOf(db: Db, userId: number): Promise<Factors> {
  const totp = await findTotp(db, userId);
  const left = await countRows(db.selectFrom('recovery_codes').where('user_id', '=', userId));
  const passkeys = (await listPasskeys(db, userId)).map(({ id, name, created_at, last_used_at }) => ({
    ...{ id, name, created_at, last_used_at },
  }));
  return { totp_since: totp?.confirmed_at ?? null, recovery_codes_left: left, passkeys };
}

export const findTotp = (db: Db, userId: number): Promise<TotpRow | null> => findRow(db, 'totp', { user_id: userId });

/** False if codes are already required: an active secret can only be turned off, not replaced. */
export async function offerTotp(db: Db, offer: Omit<TotpRow, 'confirmed_at' | 'last_step'>): Promise<boolean> {
  const { secret, created_at } = offer;
  const row = await db
    .insertInto('totp')
    .values({ ...offer, last_step: 0, confirmed_at: null })
    .onConflict((c) => c.column('user_id').doUpdateSet({ secret, created_at }).where('totp.confirmed_at', 'is', null))
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** A code of this step was shown for this secret; false if it was confirmed or replaced meanwhile. */
export async function confirmTotp(
  db: Db,
  { user_id, secret }: TotpRow,
  { step, now }: { step: number; now: number },
): Promise<boolean> {
  const result = await db
    .updateTable('totp')
    .set({ confirmed_at: now, last_step: step })
    .where('user_id', '=', user_id)
    .where('secret', '=', secret)
    .where('confirmed_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Of several concurrent uses of a code, one succeeds. */
export async function takeTotpStep(db: Db, userId: number, step: number): Promise<boolean> {
  const result = await db
    .updateTable('totp')
    .set({ last_step: step })
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is not', null)
    .where('last_step', '<', step)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function replaceRecoveryCodes(db: Db, userId: number, hashes: string[]): Promise<void> {
  await inTurn(db, 'recoveryCodes', userId, async (tx) => {
    await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
    await insertRecoveryCodes(tx, userId, hashes);
  });
}

/** False if there are some already: of several first factors added at once, only one may show codes that work. */
export const addFirstRecoveryCodes = (db: Db, userId: number, hashes: string[]): Promise<boolean> =>
  inTurn(db, 'recoveryCodes', userId, async (tx) => {
    if (await hasRow(tx, 'recovery_codes', { user_id: userId })) return false;
    await insertRecoveryCodes(tx, userId, hashes);
    return true;
  });

async function insertRecoveryCodes(tx: Db, userId: number, hashes: string[]): Promise<void> {
  const rows = hashes.map((code_hash) => ({ user_id: userId, code_hash }));
  await tx.insertInto('recovery_codes').values(rows).execute();
}

/** Each works once, also under concurrency. */
export const takeRecoveryCode = (db: Db, userId: number, hash: string): Promise<boolean> =>
  deleteRows(db, 'recovery_codes', { user_id: userId, code_hash: hash });

export const deleteTotp = (db: Db, userId: number): Promise<boolean> => deleteRows(db, 'totp', { user_id: userId });

export async function deleteRecoveryCodes(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
}

/** All factors of a user, who then signs in with the password alone. */
export async function deleteFactors(db: Db, userId: number): Promise<void> {
  await deleteTotp(db, userId);
  await db.deleteFrom('passkeys').where('user_id', '=', userId).execute();
  await deleteRecoveryCodes(db, userId);
}

export const resealTotp = resealing('totp', ['user_id'], 'secret');

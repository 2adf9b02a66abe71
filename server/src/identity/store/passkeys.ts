import type { Generated, Selectable } from 'kysely';
import { deleteRows } from '../../platform/db/delete-rows.ts';
import { findRow } from '../../platform/db/find-row.ts';
import type { Db } from '../../platform/db/tables.ts';

interface PasskeysTable {
  id: Generated<number>;
  user_id: number;
  /** As the authenticator names it, in base64url. */
  credential_id: string;
  /** COSE, in base64url. */
  public_key: string;
  /** Signatures made so far, as the authenticator counts them; 0 for those that do not count. */
  counter: number;
  /** JSON array: how the authenticator can be reached. */
  transports: string;
  name: string;
  created_at: number;
  last_used_at: number | null;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    passkeys: PasskeysTable;
  }
}

export type PasskeyRow = Selectable<PasskeysTable>;

/** Null when it is registered already. */
export async function insertPasskey(db: Db, passkey: Omit<PasskeyRow, 'id'>): Promise<number | null> {
  const row = await db
    .insertInto('passkeys')
    .values(passkey)
    .onConflict((c) => c.column('credential_id').doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id ?? null;
}

export async function listPasskeys(db: Db, userId: number): Promise<PasskeyRow[]> {
  return db.selectFrom('passkeys').selectAll().where('user_id', '=', userId).orderBy('id').execute();
}

export const findPasskey = (db: Db, credentialId: string): Promise<PasskeyRow | null> =>
  findRow(db, 'passkeys', { credential_id: credentialId });

/** False when the authenticator has counted further meanwhile, which a copy of it would show (WebAuthn §6.1.1). */
export async function notePasskeyUse(db: Db, passkey: PasskeyRow, counter: number, now: number): Promise<boolean> {
  const result = await db
    .updateTable('passkeys')
    .set({ counter, last_used_at: now })
    .where('id', '=', passkey.id)
    .where('counter', '=', passkey.counter)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function renamePasskey(db: Db, userId: number, id: number, name: string): Promise<boolean> {
  const result = await db
    .updateTable('passkeys')
    .set({ name })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export const deletePasskey = (db: Db, userId: number, id: number): Promise<boolean> =>
  deleteRows(db, 'passkeys', { id, user_id: userId });

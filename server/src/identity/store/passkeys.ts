import type { Generated, Selectable } from 'kysely';
import { deleteRows } from '../../platform/db/delete-rows.ts';
import { findRow } from '../../platform/db/find-row.ts';
import type { Db } from '../../platform/db/tables.ts';
import { updateRows } from '../../platform/db/update-rows.ts';

interface PasskeysTable {
  id: Generated<number>;
  user_id: number;
  /** The authenticator's id of it, in base64url. */
  credential_id: string;
  /** COSE, in base64url. */
  public_key: string;
  /** The authenticator's signature counter; 0 if it does not count. */
  counter: number;
  /** JSON array: transports of the authenticator. */
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

/** Null if it is already registered. */
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

/** False if the counter went backwards, which indicates a cloned authenticator (WebAuthn §6.1.1). */
export const notePasskeyUse = (db: Db, passkey: PasskeyRow, counter: number, now: number): Promise<boolean> =>
  updateRows(db, 'passkeys', { id: passkey.id, counter: passkey.counter }, { counter, last_used_at: now });

export const renamePasskey = (db: Db, userId: number, id: number, name: string): Promise<boolean> =>
  updateRows(db, 'passkeys', { id, user_id: userId }, { name });

export const deletePasskey = (db: Db, userId: number, id: number): Promise<boolean> =>
  deleteRows(db, 'passkeys', { id, user_id: userId });

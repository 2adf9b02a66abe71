import type { Generated, Insertable, Selectable } from 'kysely';
import { resealing } from '../../platform/db/reseal.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { SigningAlgorithm } from '../openid/signing-algorithms.ts';

interface SigningKeysTable {
  id: Generated<number>;
  kid: string;
  alg: SigningAlgorithm;
  public_jwk: string;
  /** Sealed. */
  private_jwk: string;
  /** When it starts to sign: clients have read it by then. */
  starts_at: number;
  /** When it stops signing; may be in the future. Null for the last of its kind. */
  retired_at: number | null;
  created_at: number;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    oauth_signing_keys: SigningKeysTable;
  }
}

export type SigningKeyRow = Selectable<SigningKeysTable>;
export type NewSigningKey = Omit<Insertable<SigningKeysTable>, 'id' | 'retired_at'>;

/** Newest first; a handful. */
export async function readSigningKeys(db: Db): Promise<SigningKeyRow[]> {
  return db.selectFrom('oauth_signing_keys').selectAll().orderBy('starts_at', 'desc').orderBy('id', 'desc').execute();
}

/** Does nothing if there is one of its kind. */
export async function addSigningKey(db: Db, key: NewSigningKey): Promise<void> {
  await db
    .insertInto('oauth_signing_keys')
    .values(key)
    .onConflict((c) => c.doNothing())
    .execute();
}

/** Replaces the current key if it was created by `madeBy`; false if there was none. */
export async function succeedSigningKey(db: Db, next: NewSigningKey, madeBy: number): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const retired = await tx
      .updateTable('oauth_signing_keys')
      .set({ retired_at: next.starts_at })
      .where('alg', '=', next.alg)
      .where('retired_at', 'is', null)
      .where('created_at', '<=', madeBy)
      .executeTakeFirst();
    if (retired.numUpdatedRows === 0n) return false;
    await addSigningKey(tx, next);
    return true;
  });
}

/** Keys whose private part is lost sign no more; others take their place when one is needed. */
export async function retireLostKeys(db: Db, opens: (sealed: string) => boolean, at: number): Promise<void> {
  const lost = (await readSigningKeys(db)).filter(({ private_jwk }) => !opens(private_jwk)).map(({ id }) => id);
  if (lost.length === 0) return;
  await db
    .updateTable('oauth_signing_keys')
    .set({ retired_at: at })
    .where('id', 'in', lost)
    .where((e) => e.or([e('retired_at', 'is', null), e('retired_at', '>', at)]))
    .execute();
}

/** Deletes all keys of this kind in favour of the new one: nothing they signed is valid any more. */
export async function replaceSigningKeys(db: Db, next: NewSigningKey): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await tx.deleteFrom('oauth_signing_keys').where('alg', '=', next.alg).execute();
    await addSigningKey(tx, next);
  });
}

export async function deleteSigningKeys(db: Db, retiredBefore: number): Promise<void> {
  await db.deleteFrom('oauth_signing_keys').where('retired_at', '<', retiredBefore).execute();
}

export const resealSigningKeys = resealing('oauth_signing_keys', ['id'], 'private_jwk');

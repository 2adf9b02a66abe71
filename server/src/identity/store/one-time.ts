import type { Selectable } from 'kysely';
import { deleteRows, deletingPast } from '../../platform/db/delete-rows.ts';
import type { Db } from '../../platform/db/tables.ts';
import { inTurn } from '../../platform/db/with-lock.ts';

/** Short-lived single-use secrets: an intermediate sign-in, a challenge, a link in a mail. */
interface OneTimeSecretsTable {
  secret_hash: string;
  purpose: string;
  /** Null if the user is not known yet. */
  user_id: number | null;
  /** The purpose; a secret for one purpose is not valid for another. */
  about: string;
  created_at: number;
  expires_at: number;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    one_time_secrets: OneTimeSecretsTable;
  }
}

export type OneTimeRow = Selectable<OneTimeSecretsTable>;

export async function insertOneTime(db: Db, row: OneTimeRow): Promise<void> {
  await db.insertInto('one_time_secrets').values(row).execute();
}

export interface Shown {
  secretHash: string;
  purpose: string;
  now: number;
}

export async function findOneTime(db: Db, { secretHash, purpose, now }: Shown): Promise<OneTimeRow | null> {
  const row = await db
    .selectFrom('one_time_secrets')
    .selectAll()
    .where('secret_hash', '=', secretHash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row ?? null;
}

/** Of several concurrent uses, one succeeds. */
export async function takeOneTime(db: Db, { secretHash, purpose, now }: Shown): Promise<OneTimeRow | null> {
  const row = await db
    .deleteFrom('one_time_secrets')
    .where('secret_hash', '=', secretHash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Ends earlier ones of the user for this purpose. */
export async function replaceOneTime(db: Db, row: OneTimeRow & { user_id: number }): Promise<void> {
  await inTurn(db, 'oneTimeSecrets', row.user_id, async (tx) => {
    await takeOneTimeOf(tx, row.user_id, row.purpose);
    await insertOneTime(tx, row);
  });
}

/** Whether there was one: of two concurrent takers, one finds it. */
export const takeOneTimeOf = (db: Db, userId: number, purpose: string): Promise<boolean> =>
  deleteRows(db, 'one_time_secrets', { user_id: userId, purpose });

type GivenOneTime = Pick<OneTimeRow, 'about' | 'created_at' | 'expires_at'> & { user_id: number };

/** Valid ones, newest first; optionally of one user. */
export async function listOneTime(
  db: Db,
  { purpose, now, userId }: { purpose: string; now: number; userId?: number | undefined },
  most: number,
): Promise<GivenOneTime[]> {
  const rows = await db
    .selectFrom('one_time_secrets')
    .select(['user_id', 'about', 'created_at', 'expires_at'])
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId!))
    .orderBy('created_at', 'desc')
    .limit(most)
    .execute();
  return rows.flatMap(({ user_id, ...row }) => (user_id === null ? [] : [{ ...row, user_id }]));
}

export const deleteExpiredOneTime = deletingPast('one_time_secrets', 'secret_hash', 'expires_at');

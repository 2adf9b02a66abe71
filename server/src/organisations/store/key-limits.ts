import { findRow } from '../../platform/db/find-row.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { OrganisationRow } from './tables.ts';
import './tables.ts';

/** The hidden place of a user's limited keys outside organisations; null if there is none. */
export const findKeysPlace = (db: Db, userId: number): Promise<OrganisationRow | null> =>
  findRow(db, 'organisations', { keys_of: userId });

/** Created on first use, once. */
export async function ensureKeysPlace(db: Db, userId: number, now: number): Promise<OrganisationRow> {
  const known = await findKeysPlace(db, userId);
  if (known) return known;
  await db
    .insertInto('organisations')
    .values({ name: '', time_zone: 'UTC', balance: 'own', account_id: userId, keys_of: userId, created_at: now })
    .onConflict((c) => c.column('keys_of').doNothing())
    .execute();
  return (await findKeysPlace(db, userId))!;
}

/** Including its budgets. */
export async function deleteKeysPlace(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('organisations').where('keys_of', '=', userId).execute();
}

import { findRow } from '../../platform/db/find-row.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { OrganisationRow } from './tables.ts';
import './tables.ts';

/*
 * What a person sets for themselves stands where budgets of organisations do, under an organisation that has no members, no
 * keys and no account but the person: whatever holds, counts and tells budgets does so for it too, and no list shows it.
 */

export const findPersonal = (db: Db, userId: number): Promise<OrganisationRow | null> =>
  findRow(db, 'organisations', { person_id: userId });

/** Makes it if there is none; of two at once one does. */
export async function ensurePersonal(
  db: Db,
  userId: number,
  given: Pick<OrganisationRow, 'webhook_secret' | 'created_at'>,
): Promise<OrganisationRow> {
  await db
    .insertInto('organisations')
    .values({ ...given, name: '', time_zone: 'UTC', balance: 'own', account_id: userId, person_id: userId })
    .onConflict((c) => c.column('person_id').doNothing())
    .execute();
  return (await findPersonal(db, userId))!;
}

import { findRow } from '../../platform/db/find-row.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { OrganisationRow } from './tables.ts';
import './tables.ts';

/*
 * Personal limits are budgets of a hidden organisation without members and keys, whose account is the user, so that
 * holds, counters and alerts work for them too.
 */

export const findPersonal = (db: Db, userId: number): Promise<OrganisationRow | null> =>
  findRow(db, 'organisations', { person_id: userId });

/** Creates it if absent; safe against races. */
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

import type { Db } from '../../platform/db/tables.ts';
import type { TeamApplicationRow } from './tables.ts';
import './tables.ts';

/** Assigns it to a team, or to another one. */
export async function placeApplication(db: Db, row: TeamApplicationRow): Promise<void> {
  const { application_id, ...place } = row;
  await db
    .insertInto('organisation_applications')
    .values(row)
    .onConflict((c) => c.column('application_id').doUpdateSet(place))
    .execute();
}

export const listPlacedApplications = (db: Db, organisationId: number): Promise<TeamApplicationRow[]> =>
  db
    .selectFrom('organisation_applications')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .orderBy('application_id', 'desc')
    .limit(1_000)
    .execute();

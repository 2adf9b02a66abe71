import { deletingPast } from '../../platform/db/delete-rows.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { WarningRow } from './tables.ts';
import './tables.ts';

export async function insertWarning(tx: Db, warning: Omit<WarningRow, 'id'>): Promise<void> {
  await tx.insertInto('organisation_warnings').values(warning).execute();
}

/** Newest first. */
export const listWarnings = (db: Db, organisationId: number, limit: number): Promise<WarningRow[]> =>
  db
    .selectFrom('organisation_warnings')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

/** Personal alerts are in the same table and must not be shown to others: bounds the scan. */
const mostSearched = 2_000;

/** Of all organisations, newest first. */
export const latestWarnings = (db: Db, limit: number): Promise<WarningRow[]> =>
  db
    .selectFrom((e) =>
      e.selectFrom('organisation_warnings').selectAll().orderBy('id', 'desc').limit(mostSearched).as('newest'),
    )
    .selectAll('newest')
    .innerJoin('organisations', 'organisations.id', 'newest.organisation_id')
    .where('organisations.keys_of', 'is', null)
    .where('organisations.person_id', 'is', null)
    .orderBy('newest.id', 'desc')
    .limit(limit)
    .execute();

export const deleteOldWarnings = deletingPast('organisation_warnings', 'id', 'created_at');

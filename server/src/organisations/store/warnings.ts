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

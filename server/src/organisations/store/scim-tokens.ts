import { findRow } from '../../platform/db/find-row.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { OrganisationRow, ScimTokenRow } from './tables.ts';
import './tables.ts';

export const listScimTokens = (db: Db, organisationId: number): Promise<ScimTokenRow[]> =>
  db
    .selectFrom('organisation_scim_tokens')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .orderBy('id')
    .limit(100)
    .execute();

export const insertScimToken = (db: Db, token: Omit<ScimTokenRow, 'id' | 'last_used_at'>): Promise<ScimTokenRow> =>
  db.insertInto('organisation_scim_tokens').values(token).returningAll().executeTakeFirstOrThrow();

export async function deleteScimToken(db: Db, organisationId: number, id: number): Promise<ScimTokenRow | null> {
  const gone = await db
    .deleteFrom('organisation_scim_tokens')
    .where('id', '=', id)
    .where('organisation_id', '=', organisationId)
    .returningAll()
    .executeTakeFirst();
  return gone ?? null;
}

export interface FoundToken {
  token: ScimTokenRow;
  organisation: OrganisationRow;
}

export async function findScimToken(db: Db, secretHash: string): Promise<FoundToken | null> {
  const token = await findRow(db, 'organisation_scim_tokens', { secret_hash: secretHash });
  const organisation = token && (await findRow(db, 'organisations', { id: token.organisation_id }));
  return organisation && { token, organisation };
}

export async function touchScimToken(db: Db, id: number, now: number): Promise<void> {
  await db.updateTable('organisation_scim_tokens').set({ last_used_at: now }).where('id', '=', id).execute();
}

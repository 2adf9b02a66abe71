import { deleteRows, deletingPast } from '../../platform/db/delete-rows.ts';
import { countRows } from '../../platform/db/list-page.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { InvitationRow } from './tables.ts';
import './tables.ts';

export const insertInvitation = (db: Db, invitation: Omit<InvitationRow, 'id'>): Promise<InvitationRow> =>
  db.insertInto('organisation_invitations').values(invitation).returningAll().executeTakeFirstOrThrow();

export const listInvitations = (db: Db, organisationId: number, now: number): Promise<InvitationRow[]> =>
  db
    .selectFrom('organisation_invitations')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('expires_at', '>', now)
    .orderBy('id', 'desc')
    .limit(1_000)
    .execute();

export const countInvitations = (db: Db, organisationId: number): Promise<number> =>
  countRows(db.selectFrom('organisation_invitations').where('organisation_id', '=', organisationId));

export const deleteInvitation = (db: Db, organisationId: number, id: number): Promise<boolean> =>
  deleteRows(db, 'organisation_invitations', { id, organisation_id: organisationId });

export async function findInvitation(db: Db, secretHash: string, now: number): Promise<InvitationRow | null> {
  const row = await db
    .selectFrom('organisation_invitations')
    .selectAll()
    .where('secret_hash', '=', secretHash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row ?? null;
}

/** Of several concurrent users, one gets it. */
export const takeInvitation = (tx: Db, id: number): Promise<boolean> =>
  deleteRows(tx, 'organisation_invitations', { id });

export const deleteExpiredInvitations = deletingPast('organisation_invitations', 'id', 'expires_at');

import { deletingPast } from '../../platform/db/pages.ts';
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

export async function countInvitations(db: Db, organisationId: number): Promise<number> {
  const { n } = await db
    .selectFrom('organisation_invitations')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('organisation_id', '=', organisationId)
    .executeTakeFirstOrThrow();
  return Number(n);
}

export async function deleteInvitation(db: Db, organisationId: number, id: number): Promise<boolean> {
  const gone = await db
    .deleteFrom('organisation_invitations')
    .where('id', '=', id)
    .where('organisation_id', '=', organisationId)
    .executeTakeFirst();
  return gone.numDeletedRows > 0n;
}

export async function findInvitation(db: Db, secretHash: string, now: number): Promise<InvitationRow | null> {
  const row = await db
    .selectFrom('organisation_invitations')
    .selectAll()
    .where('secret_hash', '=', secretHash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row ?? null;
}

/** Of many who show it at once one gets it. */
export async function takeInvitation(tx: Db, id: number): Promise<boolean> {
  const gone = await tx.deleteFrom('organisation_invitations').where('id', '=', id).executeTakeFirst();
  return gone.numDeletedRows > 0n;
}

export const deleteExpiredInvitations = deletingPast('organisation_invitations', 'id', 'expires_at');

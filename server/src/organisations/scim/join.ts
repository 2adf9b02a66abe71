import { findUserRow } from '../../identity/store/users.ts';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Db } from '../../platform/db/tables.ts';
import { type OrganisationsContext, organisationTag } from '../context.ts';
import { addMember, findRole, holdMembers } from '../store/members.ts';
import { takePlaces } from '../store/scim-places.ts';
import { isDeactivated, keepOut, placesWaiting, tieMembers } from '../store/scim-users.ts';

/** Organisations whose directories list a user, who decides whether to join. */
export async function pendingOrganisations(
  db: Db,
  userId: number,
): Promise<{ organisation_id: number; organisation: string }[]> {
  return placesWaiting(db, userId, await verifiedAddress(db, userId));
}

/** In lower case; empty if there is none. */
async function verifiedAddress(db: Db, userId: number): Promise<string> {
  const user = await findUserRow(db, userId);
  return user?.email_verified === 1 ? user.email.toLowerCase() : '';
}

/** As a member: other roles are decided by the organisation's managers. */
export async function joinOrganisation(
  room: OrganisationsContext,
  userId: number,
  organisationId: number,
): Promise<void> {
  await room.db.transaction().execute(async (tx) => {
    await holdMembers(tx, organisationId);
    if ((await findRole(tx, organisationId, userId)) !== null)
      throw new AppError('conflict', 'You are already a member of this organisation.');
    const waiting = await pendingOrganisations(tx, userId);
    if (!waiting.some(({ organisation_id }) => organisation_id === organisationId))
      throw new AppError('not_found', 'You have no pending membership in this organisation.');
    const created_at = nowSeconds(room.clock);
    await addMember(tx, { organisation_id: organisationId, user_id: userId, role: 'member', created_at });
    await linkMember(tx, organisationId, userId);
  });
  await room.announcements.changed(organisationTag(organisationId));
}

/** Throws if the directory lists this address, in lower case, as deactivated. */
export async function requireListed(tx: Db, organisationId: number, address: string): Promise<void> {
  if (await isDeactivated(tx, organisationId, address))
    throw new AppError('forbidden', "The organisation's directory does not list you as a member.");
}

/**
 * Links a member to the directory entry of their address, and adds them to its teams. A deactivated user cannot return
 * by an old invitation.
 */
export async function linkMember(tx: Db, organisationId: number, userId: number): Promise<void> {
  const address = await verifiedAddress(tx, userId);
  await requireListed(tx, organisationId, address);
  await tieMembers(tx, organisationId, address);
  await takePlaces(tx, organisationId, userId);
  await keepOut(tx, organisationId, userId, false);
}

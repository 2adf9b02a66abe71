import { findUserRow } from '../../identity/store/users.ts';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Db } from '../../platform/db/tables.ts';
import { organisationTag, type Room } from '../room.ts';
import { addMember, findRole, holdMembers } from '../store/members.ts';
import { takePlaces } from '../store/scim-places.ts';
import { isDeactivated, placesWaiting, tieMembers } from '../store/scim-users.ts';

/** Organisations whose directories mean somebody, who alone decides whether to come. */
export async function waitingFor(db: Db, userId: number): Promise<{ organisation_id: number; organisation: string }[]> {
  return placesWaiting(db, userId, await verifiedAddress(db, userId));
}

/** In small letters; empty for none. */
async function verifiedAddress(db: Db, userId: number): Promise<string> {
  const user = await findUserRow(db, userId);
  return user?.email_verified === 1 ? user.email.toLowerCase() : '';
}

/** As a member: what else somebody is to be, those who run the organisation say. */
export async function takePlace(room: Room, userId: number, organisationId: number): Promise<void> {
  await room.db.transaction().execute(async (tx) => {
    await holdMembers(tx, organisationId);
    if ((await findRole(tx, organisationId, userId)) !== null)
      throw new AppError('conflict', 'You are a member of this organisation already.');
    const waiting = await waitingFor(tx, userId);
    if (!waiting.some(({ organisation_id }) => organisation_id === organisationId))
      throw new AppError('not_found', 'No place in this organisation waits for you.');
    const created_at = nowSeconds(room.clock);
    await addMember(tx, { organisation_id: organisationId, user_id: userId, role: 'member', created_at });
    await tieMember(tx, organisationId, userId);
  });
  await room.announcements.changed(organisationTag(organisationId));
}

/**
 * Whoever is a member is the one whom the directory means by their address, and where it wants them. Whom it has put out does not
 * come back by an invitation that was still lying about.
 */
export async function tieMember(tx: Db, organisationId: number, userId: number): Promise<void> {
  const address = await verifiedAddress(tx, userId);
  if (await isDeactivated(tx, organisationId, address))
    throw new AppError('forbidden', 'The directory of this organisation says that you are not in it.');
  await tieMembers(tx, organisationId, address);
  await takePlaces(tx, organisationId, userId);
}

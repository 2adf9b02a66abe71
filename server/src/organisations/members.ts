import { AppError } from '../lib/errors.ts';
import type { Db } from '../platform/db/tables.ts';
import { type OrganisationsContext, organisationTag } from './context.ts';
import type { Membership } from './membership.ts';
import type { Memberships } from './memberships.ts';
import { has, type MemberRole, mayGive } from './rights.ts';
import { forgetKeyNames } from './store/keys.ts';
import {
  countOwners,
  findRole,
  holdMembers,
  listMembers,
  listPlaces,
  nextOwner,
  removeMember,
  setRole,
} from './store/members.ts';
import { organisationsOf } from './store/organisations.ts';
import { keepOut } from './store/scim-users.ts';
import type { MemberRow, OrganisationRow } from './store/tables.ts';

export interface MemberView extends MemberRow {
  teams: number[];
}

export async function membersOf(room: OrganisationsContext, organisationId: number): Promise<MemberView[]> {
  const places = await listPlaces(room.db, organisationId);
  const teams = Map.groupBy(places, ({ user_id }) => user_id);
  const members = await listMembers(room.db, organisationId);
  return members.map((member) => ({
    ...member,
    teams: (teams.get(member.user_id) ?? []).map(({ team_id }) => team_id),
  }));
}

const noMember = () => new AppError('not_found', 'There is no such member.');

/** Changes a role or, with null, ends a membership. The member's personal keys end with it. */
export async function changeMember(
  room: OrganisationsContext,
  acting: Membership,
  userId: number,
  role: MemberRole | null,
): Promise<void> {
  const { id } = acting.organisation;
  await room.db.transaction().execute(async (tx) => {
    await holdMembers(tx, id);
    // Read under the lock: the acting member may have changed meanwhile.
    const own = await findRole(tx, id, acting.userId);
    const before = await findRole(tx, id, userId);
    if (!own || !before) throw noMember();
    const leaves = role === null && userId === acting.userId;
    if (!leaves && (!has(own, 'manage_members') || !mayGive(own, before, role)))
      throw new AppError('forbidden', 'Only an owner can change an owner or make someone an owner.');
    if (before === 'owner' && role !== 'owner') await requireAnotherOwner(tx, id);
    // Who leaves may join again by the directory; who is removed may not, until it activates them anew.
    if (role === null && !leaves) await keepOut(tx, id, userId, true);
    if (role === null) await removeMember(tx, id, userId);
    else await setRole(tx, id, userId, role);
  });
  await room.announcements.changed(organisationTag(id));
}

/** Under the lock on members. */
async function requireAnotherOwner(tx: Db, id: number): Promise<void> {
  if ((await countOwners(tx, id)) === 1)
    throw new AppError('conflict', 'An organisation needs an owner. Make someone else an owner first.');
}

/** Whatever their role, under the lock on members. */
export async function removeFromOrganisation(tx: Db, id: number, userId: number): Promise<void> {
  if ((await findRole(tx, id, userId)) === 'owner') await requireAnotherOwner(tx, id);
  await removeMember(tx, id, userId);
}

/** Including grants at the organisation's MCP servers. */
export async function endMembership(
  room: OrganisationsContext,
  acting: Membership,
  userId: number,
  memberships: Pick<Memberships, 'left'>,
): Promise<void> {
  await changeMember(room, acting, userId, null);
  await memberships.left(userId, acting.organisation.account_id);
}

/**
 * For a user being deleted. If no owner is left, the next member in line becomes one. Organisations without anybody to
 * run them are returned, and stay with the user, so that they are found again after a crash.
 */
export async function forgetMember(
  room: Pick<OrganisationsContext, 'db' | 'announcements'>,
  userId: number,
): Promise<OrganisationRow[]> {
  await forgetKeyNames(room.db, userId);
  const abandoned: OrganisationRow[] = [];
  for (const organisation of await organisationsOf(room.db, userId)) {
    const { id } = organisation;
    if (!(await room.db.transaction().execute((tx) => leave(tx, id, userId)))) abandoned.push(organisation);
    await room.announcements.changed(organisationTag(id));
  }
  return abandoned;
}

/** False if nobody else could own it. */
async function leave(tx: Db, id: number, userId: number): Promise<boolean> {
  await holdMembers(tx, id);
  const next = await nextOwner(tx, id, userId);
  if (next === null) return false;
  await removeMember(tx, id, userId);
  if ((await countOwners(tx, id)) === 0) await setRole(tx, id, next, 'owner');
  return true;
}

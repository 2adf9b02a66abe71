import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Db } from '../platform/db/tables.ts';
import { shownName } from '../platform/http/shown-text.ts';
import { type OrganisationsContext, organisationTag } from './context.ts';
import { findRole, holdMembers } from './store/members.ts';
import type { TeamRow } from './store/tables.ts';
import { deleteTeam, findTeam, insertTeam, joinTeam, leaveTeam, listTeams, updateTeam } from './store/teams.ts';

export const mostTeams = 500;
/** As long as a group's in the directories of companies. */
export const teamName = shownName(256);
const noTeam = () => new AppError('not_found', 'There is no such team.');

export async function requireTeam(
  room: Pick<OrganisationsContext, 'db'>,
  organisationId: number,
  id: number,
): Promise<TeamRow> {
  const team = await findTeam(room.db, organisationId, id);
  if (!team) throw noTeam();
  return team;
}

/** Locks a team until the transaction ends. */
export async function holdTeam(tx: Db, organisationId: number, id: number): Promise<void> {
  await holdMembers(tx, organisationId);
  if (!(await findTeam(tx, organisationId, id))) throw noTeam();
}

export async function createTeam(room: OrganisationsContext, organisationId: number, name: string): Promise<TeamRow> {
  return room.db.transaction().execute(async (tx) => {
    await holdMembers(tx, organisationId);
    if ((await listTeams(tx, organisationId)).length >= mostTeams)
      throw new AppError('conflict', `This organisation has reached the limit of ${mostTeams} teams.`);
    return insertTeam(tx, { organisation_id: organisationId, name, created_at: nowSeconds(room.clock) });
  });
}

export async function changeTeam(
  { db }: Pick<OrganisationsContext, 'db'>,
  organisationId: number,
  id: number,
  fields: Partial<Pick<TeamRow, 'name' | 'external_id'>>,
): Promise<TeamRow> {
  const team = await updateTeam(db, organisationId, id, fields);
  if (!team) throw noTeam();
  return team;
}

/** Its keys end with it, so that nobody spends outside its budgets. */
export async function endTeam(room: OrganisationsContext, organisationId: number, id: number): Promise<void> {
  const gone = await room.db.transaction().execute(async (tx) => {
    // Before the team, as everybody who joins one does.
    await holdMembers(tx, organisationId);
    return deleteTeam(tx, organisationId, id);
  });
  if (!gone) throw noTeam();
  await room.announcements.changed(organisationTag(organisationId));
}

export async function addToTeam(
  room: OrganisationsContext,
  organisationId: number,
  id: number,
  userId: number,
): Promise<void> {
  await room.db.transaction().execute(async (tx) => {
    await holdMembers(tx, organisationId);
    if (!(await findTeam(tx, organisationId, id))) throw noTeam();
    if ((await findRole(tx, organisationId, userId)) === null)
      throw new AppError('not_found', 'There is no such member.');
    await joinTeam(tx, id, userId);
  });
  await room.announcements.changed(organisationTag(organisationId));
}

export async function removeFromTeam(
  room: OrganisationsContext,
  organisationId: number,
  id: number,
  userId: number,
): Promise<void> {
  await requireTeam(room, organisationId, id);
  if (!(await leaveTeam(room.db, id, userId))) throw new AppError('not_found', 'There is no such team member.');
  await room.announcements.changed(organisationTag(organisationId));
}

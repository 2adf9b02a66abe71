import { deleteRows } from '../../platform/db/delete-rows.ts';
import { findRow, hasRow } from '../../platform/db/find-row.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { TeamRow } from './tables.ts';
import './tables.ts';

export const listTeams = (db: Db, organisationId: number): Promise<TeamRow[]> =>
  db
    .selectFrom('organisation_teams')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .orderBy('id')
    .limit(1_000)
    .execute();

export const findTeam = (db: Db, organisationId: number, id: number): Promise<TeamRow | null> =>
  findRow(db, 'organisation_teams', { id, organisation_id: organisationId });

/** In any organisation. */
export const findTeamAnywhere = (db: Db, id: number): Promise<TeamRow | null> =>
  findRow(db, 'organisation_teams', { id });

export const insertTeam = (
  db: Db,
  team: Omit<TeamRow, 'id' | 'external_id'> & Partial<Pick<TeamRow, 'external_id'>>,
): Promise<TeamRow> => db.insertInto('organisation_teams').values(team).returningAll().executeTakeFirstOrThrow();

export async function updateTeam(
  db: Db,
  organisationId: number,
  id: number,
  fields: Partial<Pick<TeamRow, 'name' | 'external_id'>>,
): Promise<TeamRow | null> {
  const row = await db
    .updateTable('organisation_teams')
    .set(fields)
    .where('id', '=', id)
    .where('organisation_id', '=', organisationId)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Its members stay in the organisation; its budgets and limits end, and running requests are still charged. */
export async function deleteTeam(tx: Db, organisationId: number, id: number): Promise<boolean> {
  if (!(await deleteRows(tx, 'organisation_teams', { id, organisation_id: organisationId }))) return false;
  for (const table of ['organisation_budgets', 'organisation_limits'] as const)
    await deleteRows(tx, table, { organisation_id: organisationId, level: 'team', level_id: id });
  return true;
}

export async function joinTeam(tx: Db, teamId: number, userId: number): Promise<void> {
  await tx
    .insertInto('organisation_team_members')
    .values({ team_id: teamId, user_id: userId })
    .onConflict((c) => c.columns(['team_id', 'user_id']).doNothing())
    .execute();
}

export const leaveTeam = (db: Db, teamId: number, userId: number): Promise<boolean> =>
  deleteRows(db, 'organisation_team_members', { team_id: teamId, user_id: userId });

export const isInTeam = (db: Db, teamId: number, userId: number): Promise<boolean> =>
  hasRow(db, 'organisation_team_members', { team_id: teamId, user_id: userId });

export async function teamsOf(db: Db, organisationId: number, userId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('organisation_team_members as p')
    .innerJoin('organisation_teams as t', 't.id', 'p.team_id')
    .select('p.team_id')
    .where('t.organisation_id', '=', organisationId)
    .where('p.user_id', '=', userId)
    .execute();
  return rows.map(({ team_id }) => team_id);
}

/** Of any team of the organisation. */
export async function membersInTeams(db: Db, organisationId: number): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectFrom('organisation_team_members as p')
    .innerJoin('organisation_teams as t', 't.id', 'p.team_id')
    .select('p.user_id')
    .distinct()
    .where('t.organisation_id', '=', organisationId)
    .execute();
  return new Set(rows.map(({ user_id }) => user_id));
}

export const isInAnyTeam = async (db: Db, organisationId: number, userId: number): Promise<boolean> =>
  (await teamsOf(db, organisationId, userId)).length > 0;

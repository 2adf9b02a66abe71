import { countRows, pageOfFew, type Range } from '../../platform/db/list-page.ts';
import type { Db } from '../../platform/db/tables.ts';
import { type Condition, inOrder, type Sorting } from './scim-users.ts';
import type { TeamRow } from './tables.ts';
import './tables.ts';

/** Values per statement on SQLite. */
const mostAtOnce = 5_000;

export function pageGroups(
  db: Db,
  organisationId: number,
  matches: Condition<'organisation_teams'>,
  range: Range,
  sorting: Sorting | null = null,
): Promise<{ rows: TeamRow[]; total: number }> {
  const found = db
    .selectFrom('organisation_teams')
    .where('organisation_id', '=', organisationId)
    .where((e) => matches(e));
  return pageOfFew(found.$call(inOrder(sorting)).selectAll().orderBy('id'), range);
}

export interface GroupMember {
  team_id: number;
  id: number;
  user_name: string;
}

/** Members of teams according to the directory. */
export async function groupMembers(db: Db, teamIds: readonly number[]): Promise<GroupMember[]> {
  if (teamIds.length === 0) return [];
  return db
    .selectFrom('organisation_scim_places as p')
    .innerJoin('organisation_scim_users as s', 's.id', 'p.scim_user_id')
    .select(['p.team_id', 's.id', 's.user_name'])
    .where('p.team_id', 'in', teamIds)
    .orderBy('s.id')
    .execute();
}

export async function countPlaces(tx: Db, organisationId: number): Promise<number> {
  return countRows(
    tx
      .selectFrom('organisation_scim_places as p')
      .innerJoin('organisation_teams as t', 't.id', 'p.team_id')
      .where('t.organisation_id', '=', organisationId),
  );
}

const inParts = function* (ids: readonly number[]): Generator<number[]> {
  for (let at = 0; at < ids.length; at += mostAtOnce) yield ids.slice(at, at + mostAtOnce);
};

/** Which of these the organisation's directory manages. */
export async function knownScimUsers(tx: Db, organisationId: number, ids: readonly number[]): Promise<Set<number>> {
  const known = new Set<number>();
  for (const part of inParts(ids)) {
    const rows = await tx
      .selectFrom('organisation_scim_users')
      .select('id')
      .where('organisation_id', '=', organisationId)
      .where('id', 'in', part)
      .execute();
    for (const { id } of rows) known.add(id);
  }
  return known;
}

/** Users who have joined are added to the team at once. */
export async function addPlaces(tx: Db, teamId: number, scimUserIds: readonly number[]): Promise<void> {
  for (const part of inParts(scimUserIds)) {
    await tx
      .insertInto('organisation_scim_places')
      .values(part.map((scim_user_id) => ({ team_id: teamId, scim_user_id })))
      .execute();
    await tx
      .insertInto('organisation_team_members')
      .columns(['team_id', 'user_id'])
      .expression((e) =>
        e
          .selectFrom('organisation_members')
          .select((column) => [column.val(teamId).as('team_id'), 'user_id'])
          .where('scim_user_id', 'in', part),
      )
      .onConflict((c) => c.columns(['team_id', 'user_id']).doNothing())
      .execute();
  }
}

export async function removePlaces(tx: Db, teamId: number, scimUserIds: readonly number[]): Promise<void> {
  for (const part of inParts(scimUserIds)) {
    await tx
      .deleteFrom('organisation_scim_places')
      .where('team_id', '=', teamId)
      .where('scim_user_id', 'in', part)
      .execute();
    await tx
      .deleteFrom('organisation_team_members')
      .where('team_id', '=', teamId)
      .where('user_id', 'in', (e) =>
        e.selectFrom('organisation_members').select('user_id').where('scim_user_id', 'in', part),
      )
      .execute();
  }
}

/** Adds a user who joined to the directory's teams. */
export async function takePlaces(tx: Db, organisationId: number, userId: number): Promise<void> {
  await tx
    .insertInto('organisation_team_members')
    .columns(['team_id', 'user_id'])
    .expression((e) =>
      e
        .selectFrom('organisation_members as m')
        .innerJoin('organisation_scim_places as p', 'p.scim_user_id', 'm.scim_user_id')
        .select(['p.team_id', 'm.user_id'])
        .where('m.organisation_id', '=', organisationId)
        .where('m.user_id', '=', userId),
    )
    .onConflict((c) => c.columns(['team_id', 'user_id']).doNothing())
    .execute();
}

import { onePage, type PersonalData, rowsOf } from '../../platform/db/pages.ts';
import type { Db } from '../../platform/db/tables.ts';
import './tables.ts';

/** A user's organisations, teams, directory entries and keys there. */
export const exportOf = (db: Db, userId: number): PersonalData => ({
  spending_limits: onePage(() =>
    db
      .selectFrom('organisation_budgets as b')
      .innerJoin('organisations as o', 'o.id', 'b.organisation_id')
      .select(['b.span', 'b.amount', 'b.hard', 'b.alerts', 'b.created_at', 'o.time_zone', 'o.webhook_url'])
      .where('o.person_id', '=', userId)
      .execute(),
  ),
  memberships: onePage(() =>
    db
      .selectFrom('organisation_members as m')
      .innerJoin('organisations as o', 'o.id', 'm.organisation_id')
      .select(['o.id', 'o.name', 'm.role', 'm.created_at'])
      .where('m.user_id', '=', userId)
      .orderBy('o.id')
      .execute(),
  ),
  teams: onePage(() =>
    db
      .selectFrom('organisation_team_members as m')
      .innerJoin('organisation_teams as t', 't.id', 'm.team_id')
      .select(['t.id', 't.organisation_id', 't.name'])
      .where('m.user_id', '=', userId)
      .orderBy('t.id')
      .execute(),
  ),
  directory_entries: onePage(() =>
    db
      .selectFrom('organisation_members as m')
      .innerJoin('organisation_scim_users as s', 's.id', 'm.scim_user_id')
      .select(['s.organisation_id', 's.user_name', 's.external_id', 's.given_name', 's.family_name'])
      .select(['s.display_name', 's.email', 's.created_at', 's.updated_at'])
      .where('m.user_id', '=', userId)
      .orderBy('s.id')
      .execute(),
  ),
  keys: rowsOf(db, 'organisation_keys', {
    ...{ of: { member_id: userId }, by: ['key_id'] },
    columns: ['key_id', 'organisation_id', 'team_id', 'name', 'created_at'],
  }),
});

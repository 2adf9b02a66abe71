import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Tables } from '../../platform/db/tables.ts';
import { fault } from '../scim/faults.ts';
import type { Filter } from '../scim/filter.ts';
import type { Condition } from './scim-users.ts';

type Value = string | boolean;
type Compare<T extends keyof Tables> = (e: ExpressionBuilder<Tables, T>, value: Value) => Expression<SqlBool>;

/** Ids are integers; other text matches nothing. */
const idOf = (value: Value): number => (/^\d{1,15}$/.test(String(value)) ? Number(value) : 0);
const always = (holds: boolean) => (holds ? sql<SqlBool>`1 = 1` : sql<SqlBool>`1 = 0`);

const ofUsers: Record<string, Compare<'organisation_scim_users'>> = {
  id: (e, value) => e('id', '=', idOf(value)),
  username: (e, value) => e('user_key', '=', String(value).toLowerCase()),
  externalid: (e, value) => e('external_id', '=', String(value)),
  active: (e, value) => e('active', '=', String(value).toLowerCase() === 'true' ? 1 : 0),
  emails: (e, value) => ofAddress(e, value),
  'emails.value': (e, value) => ofAddress(e, value),
  // The stored address is shown with this type.
  'emails.type': (_, value) => always(String(value).toLowerCase() === 'work'),
};

const ofAddress: Compare<'organisation_scim_users'> = (e, value) =>
  e.and([e('address', '=', String(value).toLowerCase()), e('email', '<>', '')]);

const ofGroups: Record<string, Compare<'organisation_teams'>> = {
  id: (e, value) => e('id', '=', idOf(value)),
  displayname: (e, value) => e('name', '=', String(value)),
  externalid: (e, value) => e('external_id', '=', String(value)),
  members: (e, value) => ofMember(e, value),
  'members.value': (e, value) => ofMember(e, value),
};

const ofMember: Compare<'organisation_teams'> = (e, value) =>
  e('id', 'in', e.selectFrom('organisation_scim_places').select('team_id').where('scim_user_id', '=', idOf(value)));

const conditionOf =
  <T extends keyof Tables>(attributes: Record<string, Compare<T>>) =>
  (filter: Filter | null): Condition<T> => {
    if (!filter) return () => always(true);
    refuseUnknown(filter, attributes);
    const toSql = (e: ExpressionBuilder<Tables, T>, part: Filter): Expression<SqlBool> => {
      if ('all' in part) return e.and(part.all.map((one) => toSql(e, one)));
      if ('any' in part) return e.or(part.any.map((one) => toSql(e, one)));
      return attributes[part.attribute]!(e, part.value);
    };
    return (e) => toSql(e, filter);
  };

function refuseUnknown(filter: Filter, attributes: Record<string, unknown>): void {
  if ('all' in filter || 'any' in filter) {
    for (const part of 'all' in filter ? filter.all : filter.any) refuseUnknown(part, attributes);
    return;
  }
  if (!Object.hasOwn(attributes, filter.attribute))
    throw fault('invalidFilter', `filter: ${filter.attribute} is not supported.`);
}

export const usersLike = conditionOf(ofUsers);
export const groupsLike = conditionOf(ofGroups);

import type { Migration } from '../migration.ts';

/**
 * Users and groups of a company's directory (SCIM). A member who has joined refers to their directory entry, so that it
 * ends with the membership. An earlier version writes members without one.
 */
export const migration: Migration = {
  name: '0069-scim',
  statements: ({ id, int }) => [
    `create table organisation_scim_tokens (
      id ${id},
      organisation_id ${int} not null references organisations (id) on delete cascade,
      secret_hash text not null unique,
      name text not null,
      made_by ${int} not null,
      created_at ${int} not null,
      last_used_at ${int}
    )`,
    'create index organisation_scim_tokens_of on organisation_scim_tokens (organisation_id)',
    // `user_key` is the lower-case name, which is unique; `address` identifies the person, or is empty.
    `create table organisation_scim_users (
      id ${id},
      organisation_id ${int} not null references organisations (id) on delete cascade,
      user_name text not null,
      user_key text not null,
      external_id text not null,
      given_name text not null,
      family_name text not null,
      display_name text not null,
      email text not null,
      address text not null,
      active ${int} not null,
      created_at ${int} not null,
      updated_at ${int} not null,
      unique (organisation_id, user_key)
    )`,
    'create index organisation_scim_users_by_address on organisation_scim_users (address, organisation_id)',
    'create index organisation_scim_users_by_external_id on organisation_scim_users (organisation_id, external_id)',
    // Also for users who have not joined yet.
    `create table organisation_scim_places (
      team_id ${int} not null references organisation_teams (id) on delete cascade,
      scim_user_id ${int} not null references organisation_scim_users (id) on delete cascade,
      primary key (team_id, scim_user_id)
    )`,
    'create index organisation_scim_places_by_user on organisation_scim_places (scim_user_id)',
    `alter table organisation_members add column scim_user_id ${int}
      references organisation_scim_users (id) on delete set null`,
    'create unique index organisation_members_by_scim_user on organisation_members (scim_user_id)',
    "alter table organisation_teams add column external_id text not null default ''",
  ],
};
